package io.orderedexecutor.kafka;

import io.orderedexecutor.kafka.ListenerEvents.Outcome;
import io.orderedexecutor.kafka.RecordFailures.Verdict;
import io.orderedexecutor.kafka.TrackedRecord.State;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.support.KafkaUtils;

/**
 * Takes a record from its start to its end: through its attempts, the delays between them, and the decision of the
 * failure policy after the last one. While a record waits, the stage that {@link #begin} returned holds its key, and no
 * thread is blocked. The states are those of {@link TrackedRecord}; the table shows the waits of a record, the step
 * after each wait, and the thread that ends the wait:
 *
 * <pre>
 *   the delay before an attempt       ──▶ the next attempt           by a worker, when the timer has fired
 *   parked, until a decision          ──▶ the turn of the decision   by the thread that decides
 *   the turn of the thread for
 *   dead letters                      ──▶ the publication            by that thread
 *   the delay after a refused
 *   publication; parked as well       ──▶ the next publication       by that thread, when the timer has fired
 *                                     ──▶ the turn of the decision   by the thread that decides
 *   the turn of the decision          ──▶ what was decided           by a worker
 * </pre>
 *
 * <p>A decision that comes during a publication is stored. If the broker refuses the dead letter, the thread that
 * handles the refusal passes the decision to a worker, which carries it out. A drain ends every wait, too.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class RecordRunner<K, V> {
    private static final SafeLog logger = SafeLog.of(RecordRunner.class);

    /** The runner whose record the current thread is running, or null. */
    private static final ThreadLocal<@Nullable RecordRunner<?, ?>> current = new ThreadLocal<>();

    private final ListenerSetup setup;
    private final RecordListener<K, V> listener;
    private final RecordFailures failures;
    private final Executor workers;
    private final String clientId;
    private final Consumer<K, V> consumer;
    private final Membership membership;

    /**
     * Creates the runner of a consumer.
     *
     * @param consumer the view of the consumer that listeners may use
     * @param membership says whether the consumer still owns its partitions
     */
    RecordRunner(
            ListenerSetup setup,
            RecordListener<K, V> listener,
            String clientId,
            Consumer<K, V> consumer,
            Membership membership) {
        this.setup = setup;
        this.listener = listener;
        this.failures = setup.failures();
        this.workers = setup.executor().asExecutorService();
        this.clientId = clientId;
        this.consumer = consumer;
        this.membership = membership;
    }

    Membership membership() {
        return membership;
    }

    /**
     * The task of a record: a worker runs it in the record's turn.
     *
     * @return a stage that completes when the key may go on
     */
    CompletionStage<@Nullable Void> begin(TrackedRecord<K, V> record) {
        ifCertain(record, workers, () -> {
            if (record.start()) {
                guarded(record, () -> attempt(record));
            }
        });
        // a record that does not start is held until the membership is certain, or dropped by a drain
        return record.end;
    }

    /**
     * Runs a step on this thread if the consumer is certain to own its partitions. Otherwise the step is held, and runs
     * on one of the given threads when the membership is certain again.
     */
    private void ifCertain(TrackedRecord<K, V> record, Executor threads, Runnable step) {
        if (membership.isCertain()) {
            step.run();
        } else {
            membership.hold(() -> execute(record, threads, step));
        }
    }

    /**
     * Runs a step of a record whose run this thread owns. No step should throw. If one does, the record is not settled:
     * the container stops first, so that no record starts any more, and then the record waits until it is dropped.
     */
    private void guarded(TrackedRecord<K, V> record, Runnable step) {
        TrackedRecord.Run run = record.run();
        try {
            step.run();
        } catch (Throwable failure) {
            try {
                setup.failed(failure);
            } finally {
                // only this run: if the step has ended it, another thread may run the record by now
                record.giveUp(run);
            }
        }
    }

    /** Returns whether the current thread runs application code that this runner has called. */
    boolean isCallingHere() {
        return current.get() == this;
    }

    /** Calls code of the application, in a way that can be interrupted. Returns false if the code was not called. */
    private boolean call(TrackedRecord<K, V> record, Runnable code) {
        RecordRunner<?, ?> before = current.get();
        current.set(this);
        try {
            return record.call(code);
        } finally {
            // set, not removed: after a removal, the next record would make a new entry for this thread
            current.set(before);
        }
    }

    private void attempt(TrackedRecord<K, V> record) {
        int attempt = record.countAttempt();
        if (record.unusable != null) {
            record.failed(record.unusable);
            decide(record, failures.verdictOfUnusable(record.unusable), record.unusable);
            return;
        }
        boolean called = call(
                record,
                () -> listener.call(
                        record.record,
                        clientId,
                        consumer,
                        failure -> guarded(record, () -> ended(record, attempt, failure))));
        if (!called) {
            ended(record, attempt, new CancellationException("The record's partition was revoked"));
        }
    }

    private void ended(TrackedRecord<K, V> record, int attempt, @Nullable Throwable failure) {
        if (failure == null) {
            var unused = settle(record, Outcome.PROCESSED);
            return;
        }
        record.failed(failure);
        if (record.assignment.isDraining()) {
            // the record is dropped; the next owner of the partition counts attempts from 1
            record.await();
        } else {
            decide(record, failures.verdict(attempt, failure), failure);
        }
    }

    private void decide(TrackedRecord<K, V> record, Verdict verdict, Throwable failure) {
        switch (verdict) {
            case RETRIES -> retry(record);
            case PARKS -> park(record, failure);
            case ENDS -> {
                if (setup.settings().deadLetters()) {
                    recover(record, failure, 1);
                } else {
                    end(record, failure);
                }
            }
        }
    }

    private void retry(TrackedRecord<K, V> record) {
        int attempt = record.attempts();
        Duration delay = failures.delayAfter(attempt);
        delay(record, new CompletableFuture<>(), delay, workers, () -> attempt(record));
        setup.events().retried(record.record.topic());
        logger.debug(() -> describe(record) + " failed at attempt " + attempt + ", and will run again in " + delay);
    }

    private void end(TrackedRecord<K, V> record, Throwable failure) {
        if (settle(record, Outcome.FAILED)) {
            logger.error(failure, () -> describeLast(record) + " Its key proceeds with the next record.");
        }
    }

    private void skip(TrackedRecord<K, V> record, Throwable failure) {
        if (settle(record, Outcome.SKIPPED)) {
            logger.error(
                    failure,
                    () -> describe(record) + ", which was parked after attempt " + record.attempts() + ", is skipped");
        }
    }

    /**
     * Settles a record, unless a drain has interrupted it.
     *
     * @return false if the drain has interrupted the record, which is dropped
     */
    private boolean settle(TrackedRecord<K, V> record, Outcome outcome) {
        if (record.isInterrupted()) {
            // a listener that catches the interrupt may return before its work is done: the record is Kafka's again
            record.await();
            return false;
        }
        // counted before the key goes on: if a test or an operator sees the next record run, this one is counted
        // already
        setup.events().ended(record.record.topic(), outcome);
        record.settle();
        return true;
    }

    // Parking

    private void park(TrackedRecord<K, V> record, Throwable failure) {
        record.await();
        // the record is listed after its wait has begun: a skip or publication that came before would take it off the
        // list without ending its wait, and no operator could find it again
        record.assignment.park(record);
        logger.error(
                failure,
                () -> describeLast(record) + " Its key is parked: no later record of the key runs until this one is "
                        + "resumed, published as a dead letter, or"
                        + " skipped, with the endpoint 'orderedkafka'.");
    }

    /**
     * Ends the parking of a record. Called by any thread. While the dead letter of the record is being published, it is
     * unknown whether the broker will accept it. The record cannot be resumed during that time. It can be skipped or
     * published: both settle the record without another run, whatever the broker answers.
     *
     * @return true if the action is or will be carried out; false if no such record is parked, if the record cannot be
     *     resumed now, or if it is dropped
     */
    boolean unpark(Assignment<K, V> assignment, long offset, ParkedAction action) {
        TrackedRecord<K, V> record = assignment.parked().get(offset);
        if (record == null) {
            return false;
        }
        boolean isTaken = takeOutOfWait(record);
        if (!isTaken && action == ParkedAction.RESUME) {
            return false;
        }
        if (!assignment.parked().remove(offset, record)) {
            // another thread has decided, or the broker has accepted the dead letter
            if (isTaken) {
                record.await();
                actIfItWaits(record);
            }
            return false;
        }
        if (isTaken) {
            return actInTurn(record, action);
        }
        record.decide(action);
        actIfItWaits(record);
        return !assignment.isDraining() || record.state() == State.SETTLED;
    }

    /**
     * Ends the wait of a parked record, and makes this thread the owner of its run. The timer of that wait has no
     * effect any more.
     *
     * @return false if the record does not wait for a decision, or a drain has begun
     */
    boolean takeOutOfWait(TrackedRecord<K, V> record) {
        while (record.waitsFor() instanceof TrackedRecord.Undecided over) {
            if (record.proceed(over)) {
                return true;
            }
            if (record.assignment.isDraining()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Lets a worker carry out a stored decision, if the record waits. Otherwise, the owner of its run does the same
     * later.
     */
    private void actIfItWaits(TrackedRecord<K, V> record) {
        CompletableFuture<@Nullable Void> over = record.waitsFor();
        // the decision is read last: if it was carried out meanwhile, the record waits for another future by now
        if (over != null && record.isDecided() && record.proceed(over)) {
            var unused = actInTurn(record, record.takeDecision());
        }
    }

    /**
     * Lets a worker carry out an action on a record. Called by the owner of the run, which ends.
     *
     * @return false if the record is dropped, or the executor has refused it
     */
    private boolean actInTurn(TrackedRecord<K, V> record, ParkedAction action) {
        CompletableFuture<@Nullable Void> itsTurn = new CompletableFuture<>();
        record.await(itsTurn);
        boolean isHandedOver = proceed(record, itsTurn, workers, () -> act(record, action));
        State now = record.state();
        return isHandedOver && (!record.assignment.isDraining() || now == State.RUNNING || now == State.SETTLED);
    }

    private void act(TrackedRecord<K, V> record, ParkedAction action) {
        switch (action) {
            case RESUME -> {
                record.forgetAttempts();
                attempt(record);
            }
            case DEAD_LETTER -> recover(record, failureOf(record), 1);
            case SKIP -> skip(record, failureOf(record));
        }
    }

    private static Throwable failureOf(TrackedRecord<?, ?> record) {
        Throwable failure = record.failure();
        return failure == null ? new IllegalStateException("unknown") : failure;
    }

    // Dead letters

    /**
     * Publishes a record as a dead letter, on the thread for dead letters: if the topic does not exist, a producer
     * blocks for a minute by default. Meanwhile the record waits, so a drain can drop it.
     */
    private void recover(TrackedRecord<K, V> record, Throwable failure, int attempt) {
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        record.await(over);
        proceed(record, over, setup.publisher(), () -> publish(record, failure, attempt));
    }

    private void publish(TrackedRecord<K, V> record, Throwable failure, int attempt) {
        boolean called = call(record, () -> {
            CompletionStage<?> published;
            try {
                KafkaUtils.setConsumerGroupId(setup.groupId());
                published = setup.requireDeadLetters().publish(record.record, decorated(failure));
            } catch (Throwable e) {
                published = CompletableFuture.failedFuture(e);
            } finally {
                KafkaUtils.clearConsumerGroupId();
            }
            published.whenComplete(
                    (result, refusal) -> guarded(record, () -> published(record, failure, attempt, refusal)));
        });
        if (!called) {
            record.await();
        }
    }

    /**
     * Returns the failure in the form in which Spring's container passes failures to recoverers. Recoverers read the
     * group from the exception.
     */
    private Exception decorated(Throwable failure) {
        Throwable wrapped = failure instanceof ListenerExecutionFailedException ? failure.getCause() : null;
        String message = wrapped == null ? "Listener failed" : String.valueOf(failure.getMessage());
        // message and stack trace become headers
        Throwable cause = SafeLog.printable(wrapped == null ? failure : wrapped);
        return new ListenerExecutionFailedException(message, setup.groupId(), cause);
    }

    private void published(TrackedRecord<K, V> record, Throwable failure, int attempt, @Nullable Throwable refusal) {
        if (refusal == null) {
            record.assignment.parked().remove(record.offset());
            var unused = settle(record, Outcome.DEAD_LETTERED);
            return;
        }
        if (record.assignment.isDraining()) {
            // the record is dropped; the next owner of the partition publishes it
            record.await();
            return;
        }
        Duration delay = RecordFailures.delayOfDeadLetterAfter(attempt);
        if (attempt == 1) {
            record.assignment.park(record);
        }
        delay(
                record,
                new TrackedRecord.Undecided(),
                delay,
                setup.publisher(),
                () -> publish(record, failure, attempt + 1));
        // a decision is handled before the log is written: during a slow write, the delay could end, and the dead
        // letter would be published once more
        actIfItWaits(record);
        logger.error(
                refusal,
                () -> "The dead letter of the record " + SafeLog.format(record.record)
                        + " was refused. It is tried again in " + delay
                        + ". The key of the record is parked until the dead letter is accepted, or the record is"
                        + " resumed or skipped, with the endpoint 'orderedkafka'.");
    }

    // Waiting

    private void delay(
            TrackedRecord<K, V> record,
            CompletableFuture<@Nullable Void> over,
            Duration delay,
            Executor threads,
            Runnable then) {
        var unused = over.thenRun(() -> proceed(record, over, threads, then));
        record.await(over);
        // started only when the record waits: if the delay ended earlier, the record would wait for ever
        setup.delays().start(over, delay);
    }

    /**
     * Lets another thread end the wait of a record and run the next step, if the record still waits for this future.
     *
     * @return false if the threads refuse the step
     */
    private boolean proceed(
            TrackedRecord<K, V> record, CompletableFuture<@Nullable Void> over, Executor threads, Runnable then) {
        return execute(record, threads, () -> {
            if (record.proceed(over)) {
                guarded(record, then);
            }
        });
    }

    private boolean execute(TrackedRecord<K, V> record, Executor threads, Runnable step) {
        try {
            threads.execute(() -> ifCertain(record, threads, step));
            return true;
        } catch (Throwable refused) { // a checked one too: not all languages declare them
            setup.refused(record.record, refused);
            return false;
        }
    }

    static String describe(TrackedRecord<?, ?> record) {
        return "The record " + SafeLog.format(record.record);
    }

    /**
     * Returns a sentence about the last failure. Not every record is retried: some exceptions are excluded, and some
     * policies never retry.
     */
    private static String describeLast(TrackedRecord<?, ?> record) {
        int attempt = record.attempts();
        return describe(record)
                + (attempt == 1 ? " failed and is not retried." : " failed at attempt " + attempt + ", its last.");
    }

    /** A timer: completes the future of a delay when its time has passed. */
    @FunctionalInterface
    interface Delays {
        /** The timer of the JDK: a delay that is cancelled is forgotten at once. */
        Delays SYSTEM = (over, delay) -> over.completeOnTimeout(null, delay.toNanos(), TimeUnit.NANOSECONDS);

        void start(CompletableFuture<@Nullable Void> over, Duration delay);
    }
}
