package io.orderedexecutor.kafka;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.KafkaHeaders;

/**
 * One record that was handed out, from there to its end. One word says what it does, and who may change that:
 *
 * <pre>
 *   QUEUED  ──▶ RUNNING   by the worker whose turn it is, unless a drain has begun
 *   RUNNING ──▶ WAITING   by the owner of the run
 *   RUNNING ──▶ SETTLED   by the owner of the run; for good
 *   WAITING ──▶ RUNNING   by whoever ends the wait, unless a drain has begun: a worker or the thread for dead letters,
 *                         after a delay or a hand-over; a thread that carries out a decision on a parked record
 *   QUEUED  ──▶ DROPPED   by the consumer's thread, in a drain; for good
 *   WAITING ──▶ DROPPED   by the consumer's thread, in a drain, or by who began to wait while a drain began; for good
 * </pre>
 *
 * <p>Of threads that compete for a transition one wins, by a compare-and-set, and owns what follows: nobody else
 * completes the stage, settles, or runs the record. So nobody competes with the owner of a run, who gives it up with a
 * plain write. The owner is the thread that won; with a call that is not complete when it returns, it is from then on
 * the thread that completes it. Each run and each wait is an object of its own: who has given a run up takes nothing
 * from a later one, and who ends a wait ends no later one.
 *
 * <p>A drain need not wait for records that wait, as it drops them. A dropped record stays among the unsettled ones of
 * its assignment: it is Kafka's again.
 */
final class TrackedRecord<K, V> {
    /** The states of the table above. */
    enum State {
        QUEUED,
        RUNNING,
        WAITING,
        SETTLED,
        DROPPED
    }

    /** From the start, or the end of a wait, to the next wait or the end. */
    static final class Run {}

    /**
     * What a record waits for that is parked: an operator may end this wait. The record is listed then, or is about to
     * be, or whoever has taken it from the list notes a decision. No other wait is ended by an operator: nobody would
     * find the record again.
     */
    static final class Undecided extends CompletableFuture<@Nullable Void> {}

    final ConsumerRecord<K, V> record;
    final Assignment<K, V> assignment;

    /** Why the record cannot run at all: it could not be deserialised, or its key is not known. */
    final @Nullable Exception unusable;

    /** When it was handed out, by {@link System#nanoTime()}. */
    final long since;

    /** Complete when the key may go on: settled or dropped. */
    final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /**
     * A {@link State}; or a {@link Run}, which means {@link State#RUNNING}; or what the record waits for, which means
     * {@link State#WAITING}.
     */
    private final AtomicReference<Object> state = new AtomicReference<>(State.QUEUED);

    /** Neighbours among the unsettled records. Consumer thread only. */
    @Nullable
    TrackedRecord<K, V> previous;

    @Nullable
    TrackedRecord<K, V> next;

    /** Written before the push onto the stack of settled records, which publishes it. */
    @Nullable
    TrackedRecord<K, V> nextSettled;

    /** The executor's future. Consumer thread only. */
    @Nullable
    Future<?> future;

    /** How often it was run. Written by the owner of the state State.RUNNING; volatile for those who look. */
    private volatile int attempts;

    /** Why it last failed. As {@link #attempts}. */
    private volatile @Nullable Throwable failure;

    /**
     * What an operator wants to be done with it. Volatile: the operator's thread writes this and then looks whether the
     * record waits; the owner of RUNNING begins to wait and then reads this, so one of the two sees the other.
     */
    private volatile @Nullable ParkedAction decision;

    /**
     * The thread that calls the listener, while it does. Volatile for {@link #call}: it writes this and then reads
     * {@link #isInterrupted}, which the drain writes before it reads this, so one of the two sees the other. Set back
     * with this record's lock, or an interrupt could hit the thread when it is elsewhere.
     */
    private volatile @Nullable Thread caller;

    /** Whether the drain has interrupted it, and what it may be called for later. */
    private volatile boolean isInterrupted;

    TrackedRecord(ConsumerRecord<K, V> record, Assignment<K, V> assignment, @Nullable Exception unusable, long since) {
        this.record = record;
        this.assignment = assignment;
        this.unusable = unusable;
        this.since = since;
    }

    long offset() {
        return record.offset();
    }

    State state() {
        Object now = state.get();
        if (now instanceof State other) {
            return other;
        }
        return now instanceof Run ? State.RUNNING : State.WAITING;
    }

    /** The owner of a run, to {@linkplain #giveUp give it up} later; else null. */
    @Nullable
    Run run() {
        return state.get() instanceof Run run ? run : null;
    }

    int attempts() {
        return attempts;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    /**
     * Worker. Asks for the drain first: the end of a dropped record makes its successor ready, which would overtake it.
     *
     * @return false if the record is Kafka's again
     */
    boolean start() {
        return !assignment.isDraining() && run(State.QUEUED);
    }

    /** The owner of RUNNING. Counts the attempt, and tells it to the listener. */
    int countAttempt() {
        int attempt = attempts + 1;
        attempts = attempt;
        if (failure != null) {
            tellAttempt(attempt);
        }
        return attempt;
    }

    /** The consumer thread, which has just made the headers; workers would have to fetch them from its cache. */
    void tellFirstAttempt() {
        tellAttempt(1);
    }

    private void tellAttempt(int attempt) {
        Headers headers = record.headers();
        // also one that the record has brought along
        headers.remove(KafkaHeaders.DELIVERY_ATTEMPT);
        headers.add(
                KafkaHeaders.DELIVERY_ATTEMPT,
                new byte[] {(byte) (attempt >>> 24), (byte) (attempt >>> 16), (byte) (attempt >>> 8), (byte) attempt});
    }

    /** The owner of State.RUNNING, before the first attempt of a new series. */
    void forgetAttempts() {
        attempts = 0;
    }

    /** The owner of RUNNING. */
    void failed(Throwable failure) {
        this.failure = failure;
    }

    /**
     * The owner of RUNNING calls the listener, on this thread, in a way that can be {@linkplain #interrupt()
     * interrupted}.
     *
     * @param listener what to call; throws nothing
     * @return false if it was interrupted before, and not called
     */
    boolean call(Runnable listener) {
        caller = Thread.currentThread();
        boolean mayRun = !isInterrupted;
        try {
            if (mayRun) {
                listener.run();
            }
        } finally {
            returned();
        }
        return mayRun;
    }

    private synchronized void returned() {
        if (caller == Thread.currentThread()) {
            // else another thread has gone on with the record meanwhile
            caller = null;
        }
        // the interrupt was meant for the listener
        if (isInterrupted) {
            Thread.interrupted();
        }
    }

    /** Whether the drain has interrupted it. The owner of RUNNING. */
    boolean isInterrupted() {
        return isInterrupted;
    }

    /** The drain, when its time is over. Interrupts the listener if it runs, and what it may be called for later. */
    synchronized void interrupt() {
        isInterrupted = true;
        Thread thread = caller;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /**
     * The owner of RUNNING gives it up. A timer is to be started after this, or it could fire for a record that does
     * not wait yet.
     *
     * @param over what it waits for, to {@linkplain #proceed proceed} with; cancelled then, and when it is dropped
     */
    void await(CompletableFuture<@Nullable Void> over) {
        state.set(over);
        waits();
    }

    private void waits() {
        try {
            assignment.running(-1);
        } finally {
            // the drain may have swept before: then nobody else drops this
            if (assignment.isDraining()) {
                drop();
            }
        }
    }

    /** Who was the owner of a run, and may have given it up: the record waits for ever, unless it was. */
    void giveUp(@Nullable Run run) {
        if (run != null && state.compareAndSet(run, new CompletableFuture<>())) {
            waits();
        }
    }

    /** The owner of RUNNING gives it up, until somebody says what is to be done with it, or for ever. */
    void await() {
        await(new Undecided());
    }

    /** Timer or action. Returns false if the record is running, waits for something else, or is Kafka's again. */
    boolean proceed(CompletableFuture<@Nullable Void> over) {
        boolean isOurs = !assignment.isDraining() && run(over);
        if (isOurs) {
            over.cancel(false);
        }
        return isOurs;
    }

    /** What it waits for, or null if it does not. Any thread. */
    @SuppressWarnings("unchecked")
    @Nullable
    CompletableFuture<@Nullable Void> waitsFor() {
        return state.get() instanceof CompletableFuture<?> over ? (CompletableFuture<@Nullable Void>) over : null;
    }

    /** Says what is to be done with it when it waits again. Who took it out of the parked ones. */
    void decide(ParkedAction action) {
        decision = action;
    }

    boolean isDecided() {
        return decision != null;
    }

    /** The owner of RUNNING, to whom it was said, does it: once. */
    ParkedAction takeDecision() {
        ParkedAction decided = Objects.requireNonNull(decision);
        decision = null;
        return decided;
    }

    private boolean run(Object from) {
        // counted before it runs: a drain between the two would find nothing to wait for, and let the partition go
        assignment.running(1);
        if (state.compareAndSet(from, new Run())) {
            return true;
        }
        assignment.running(-1);
        return false;
    }

    /**
     * The owner of RUNNING. The record is among the settled ones before its state says so: a drain that sees no running
     * record commits.
     */
    void settle() {
        assignment.settled(this);
        state.set(State.SETTLED);
        try {
            assignment.running(-1);
        } finally {
            end.complete(null);
        }
    }

    /** The drain, or who began to wait during one. Returns false if the record is running or at its end. */
    boolean drop() {
        if (state.compareAndSet(State.QUEUED, State.DROPPED)) {
            end.complete(null);
            return true;
        }
        CompletableFuture<?> over = waitsFor();
        if (over != null && state.compareAndSet(over, State.DROPPED)) {
            over.cancel(false);
            end.complete(null);
            return true;
        }
        return false;
    }
}
