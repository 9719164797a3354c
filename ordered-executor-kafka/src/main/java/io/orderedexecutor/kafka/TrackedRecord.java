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
 * One record that was handed out, until it is settled or dropped. The table shows its states, and the threads that may
 * change them:
 *
 * <pre>
 *   QUEUED  ──▶ RUNNING   by a worker, in the turn of the record, unless a drain has begun
 *   RUNNING ──▶ WAITING   by the owner of the run
 *   RUNNING ──▶ PARKED    by the owner of the run
 *   RUNNING ──▶ SETTLED   by the owner of the run; for good
 *   WAITING ──▶ RUNNING   by whoever ends the wait, unless a drain has begun: a worker or the thread for dead letters,
 *                         after a delay or a hand-over
 *   PARKED  ──▶ RUNNING   by a thread that carries out a decision, or by the thread for dead letters, which publishes a
 *                         refused dead letter again after a delay; unless a drain has begun
 *   QUEUED  ──▶ DROPPED   by the consumer's thread, in a drain; for good
 *   WAITING ──▶ DROPPED   by the consumer's thread, in a drain, or by the thread that began the wait; for good
 *   PARKED  ──▶ DROPPED   in the same way; for good
 * </pre>
 *
 * <p>A parked record waits, too: whatever is said of waits holds for its wait for a decision.
 *
 * <p>Threads compete for a transition by a compare-and-set. The thread that wins the transition to RUNNING is the
 * <em>owner of the run</em>: no other thread settles the record or completes its stage. So no thread competes with the
 * owner, which ends the run with a volatile write instead of a compare-and-set. If the call of the listener is
 * asynchronous and not complete when it returns, the thread that completes it becomes the owner. Each run and each wait
 * is an object of its own: a thread that has ended a run has no effect on a later run, and a thread that ends a wait
 * ends no later wait.
 *
 * <p>A drain drops waiting records instead of waiting for them. A dropped record stays among the unsettled records of
 * its assignment. It is not committed: it is <em>Kafka's again</em>, and the next owner of the partition receives it.
 */
final class TrackedRecord<K, V> {
    /** The states of the table above. */
    enum State {
        QUEUED,
        RUNNING,
        WAITING,
        PARKED,
        SETTLED,
        DROPPED
    }

    /** One run of the record: from its start, or from the end of a wait, to the next wait or the end of the record. */
    static final class Run {}

    /**
     * The wait of a parked record, which an operator may end. During this wait, the record is in the list of parked
     * records or about to be, or the thread that has taken it from the list stores a decision. An operator ends no
     * other wait: the record would be in no list.
     */
    static final class Undecided extends CompletableFuture<@Nullable Void> {}

    final ConsumerRecord<K, V> record;
    final Assignment<K, V> assignment;

    /**
     * The reason why the record cannot run at all: it could not be deserialized, or its key is not known. Null if it
     * can run.
     */
    final @Nullable Exception unusable;

    /** The time at which the record was handed out, by {@link System#nanoTime()}. */
    final long since;

    /** Complete when the record is settled or dropped, so that its key may go on. */
    final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /**
     * A {@link State}; or a {@link Run}, which means {@link State#RUNNING}; or what the record waits for, which means
     * {@link State#PARKED} if it is {@link Undecided}, otherwise {@link State#WAITING}.
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

    /**
     * The number of attempts since the record was handed out, or since an operator resumed it. Written by the owner of
     * the run; volatile, since other threads read it.
     */
    private volatile int attempts;

    /** The last failure, or null. Written by the owner of the run; volatile, since other threads read it. */
    private volatile @Nullable Throwable failure;

    /**
     * The stored decision of an operator, or null. Volatile: the operator's thread writes the decision and then looks
     * whether the record waits; the owner of the run lets the record wait and then reads the decision. So at least one
     * of the two threads sees the change of the other.
     */
    private volatile @Nullable ParkedAction decision;

    /**
     * The thread that is calling the listener, or null. Volatile: {@link #call} writes this field and then reads
     * {@link #isInterrupted}, while the drain writes {@link #isInterrupted} and then reads this field. So at least one
     * of the two threads sees the write of the other. Reset under the lock of this record: otherwise an interrupt could
     * reach the thread when it does something else.
     */
    private volatile @Nullable Thread caller;

    /** Whether the drain has interrupted the record. If so, the listener is not called for it any more. */
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
        // read once: a second read could find another run or wait
        Object now = state.get();
        if (now instanceof State other) {
            return other;
        }
        if (now instanceof Run) {
            return State.RUNNING;
        }
        return now instanceof Undecided ? State.PARKED : State.WAITING;
    }

    /**
     * Returns the current run, for its owner to {@linkplain #giveUp give up} later; null if the record does not run.
     */
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
     * Starts the record. Called by a worker, in the turn of the record. Does not start the record during a drain: the
     * end of a dropped record makes the next record of the key ready, which would overtake the dropped one.
     *
     * @return false if a drain has begun
     */
    boolean start() {
        return !assignment.isDraining() && run(State.QUEUED);
    }

    /** Counts an attempt, and writes its number to the header for the listener. Called by the owner of the run. */
    int countAttempt() {
        int attempt = attempts + 1;
        attempts = attempt;
        if (failure != null) {
            tellAttempt(attempt);
        }
        return attempt;
    }

    /**
     * Writes the number of the first attempt to its header. Called by the consumer thread, which has just made the
     * headers: a worker would have to fetch them from the cache of that thread's processor.
     */
    void tellFirstAttempt() {
        tellAttempt(1);
    }

    private void tellAttempt(int attempt) {
        Headers headers = record.headers();
        // also removes a header that came with the record
        headers.remove(KafkaHeaders.DELIVERY_ATTEMPT);
        headers.add(
                KafkaHeaders.DELIVERY_ATTEMPT,
                new byte[] {(byte) (attempt >>> 24), (byte) (attempt >>> 16), (byte) (attempt >>> 8), (byte) attempt});
    }

    /** Counts attempts from 1 again. Called by the owner of the run. */
    void forgetAttempts() {
        attempts = 0;
    }

    /** Stores the failure of an attempt. Called by the owner of the run. */
    void failed(Throwable failure) {
        this.failure = failure;
    }

    /**
     * Calls the listener on this thread, in a way that can be {@linkplain #interrupt() interrupted}. Called by the
     * owner of the run.
     *
     * @param listener the code to call; throws nothing
     * @return false if the record was interrupted earlier, so that the listener was not called
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
            // if not, another thread is calling the listener for this record by now
            caller = null;
        }
        // the interrupt was meant for the listener
        if (isInterrupted) {
            Thread.interrupted();
        }
    }

    /** Returns whether the drain has interrupted the record. Called by the owner of the run. */
    boolean isInterrupted() {
        return isInterrupted;
    }

    /**
     * Interrupts the listener if it is being called for this record, and prevents later calls. Called by the drain when
     * its time has elapsed.
     */
    synchronized void interrupt() {
        isInterrupted = true;
        Thread thread = caller;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /**
     * Ends the run, and lets the record wait. Called by the owner of the run. A timer must be started after this call:
     * otherwise it could fire for a record that does not wait yet.
     *
     * @param over the future that the record waits for, to be passed to {@link #proceed}; cancelled when the wait ends
     *     or the record is dropped
     */
    void await(CompletableFuture<@Nullable Void> over) {
        state.set(over);
        waits();
    }

    private void waits() {
        try {
            assignment.running(-1);
        } finally {
            // a drain that came to this record while it was running has left it alone and does not come back, so the
            // record is dropped here
            if (assignment.isDraining()) {
                drop();
            }
        }
    }

    /**
     * Ends a run, unless its owner has ended it already: the record waits until a drain drops it. Called by the owner
     * of the run after a failure.
     */
    void giveUp(@Nullable Run run) {
        if (run != null && state.compareAndSet(run, new CompletableFuture<>())) {
            waits();
        }
    }

    /**
     * Ends the run: the record waits until an operator decides on it, or a drain drops it. Called by the owner of the
     * run.
     */
    void await() {
        await(new Undecided());
    }

    /**
     * Ends a wait and begins a run, whose owner is the calling thread.
     *
     * @param over the future that the record waits for
     * @return false if the record is running, waits for another future, or is dropped, or if a drain has begun
     */
    boolean proceed(CompletableFuture<@Nullable Void> over) {
        boolean isOurs = !assignment.isDraining() && run(over);
        if (isOurs) {
            over.cancel(false);
        }
        return isOurs;
    }

    /** Returns the future that the record waits for, or null if it does not wait. Called by any thread. */
    @SuppressWarnings("unchecked")
    @Nullable
    CompletableFuture<@Nullable Void> waitsFor() {
        return state.get() instanceof CompletableFuture<?> over ? (CompletableFuture<@Nullable Void>) over : null;
    }

    /**
     * Stores what to do with the record when it waits again. Called by the thread that took the record from the parked
     * records.
     */
    void decide(ParkedAction action) {
        decision = action;
    }

    boolean isDecided() {
        return decision != null;
    }

    /** Returns the decision and forgets it, so that it is carried out only once. Called by the owner of the run. */
    ParkedAction takeDecision() {
        ParkedAction decided = Objects.requireNonNull(decision);
        decision = null;
        return decided;
    }

    private boolean run(Object from) {
        // counted before the state changes: otherwise a drain in between would find no running record, and give up the
        // partition while this one runs
        assignment.running(1);
        if (state.compareAndSet(from, new Run())) {
            return true;
        }
        assignment.running(-1);
        return false;
    }

    /**
     * Settles the record. Called by the owner of the run. The record is pushed onto the settled ones before the number
     * of running records falls: a drain that sees no running record commits.
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

    /**
     * Drops the record if it is queued or waits. Called by the drain, and by a thread that lets the record wait during
     * a drain.
     *
     * @return false if the record is running, settled or dropped
     */
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
