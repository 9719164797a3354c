package io.orderedexecutor.sample.live;

import io.orderedexecutor.sample.SimulatedDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Plays a step: takes its time, and writes what happens into the journal. */
@Component
class Player {
    private final SimulatedDatabase database;
    private final Journal journal;
    private final OrderCheck check;

    /** The steps that have failed once, and succeed when they are run again. */
    private final Set<Long> failed = ConcurrentHashMap.newKeySet();

    Player(SimulatedDatabase database, Journal journal, OrderCheck check) {
        this.database = database;
        this.journal = journal;
        this.check = check;
    }

    /** Plays a step on the tracks of its keys. */
    void play(Step step) {
        play(step, step.keys());
    }

    /** Plays a step that has no order of its own, on the track of the thread that plays it. */
    Step playOnThread(Step step) {
        String thread = Thread.currentThread().getName();
        play(step, List.of("thread " + thread.substring(thread.lastIndexOf('-') + 1)));
        return step;
    }

    private void play(Step step, List<String> tracks) {
        journal.add(step, Moment.What.STARTED, tracks, check.start(step));
        Moment.What end = Moment.What.FAILED;
        try {
            database.write(step.millis());
            if (step.kind() == Step.Kind.FAILING && !failed.remove(step.id())) {
                failed.add(step.id());
                throw new IllegalStateException("The database does not accept step " + step.number() + " of "
                        + step.key() + ". It will when the step is run again.");
            }
            end = Moment.What.ENDED;
        } finally {
            check.end(step);
            journal.add(step, end, tracks, true);
        }
    }

    /**
     * Plays messages as one: a slow model answers all of them together. It needs no thread meanwhile, and stops if its
     * answer is cancelled.
     */
    CompletableFuture<Void> answer(List<Step> messages) {
        Step first = messages.get(0);
        journal.add(first, Moment.What.STARTED);
        messages.stream().skip(1).forEach(other -> journal.add(other, Moment.What.JOINED));
        CompletableFuture<Void> answer = new CompletableFuture<Void>()
                .completeOnTimeout(null, first.millis(), TimeUnit.MILLISECONDS)
                .thenRun(() -> journal.add(first, Moment.What.ENDED)); // unless it is cancelled by then
        var unused = answer.whenComplete((nothing, failure) -> {
            if (answer.isCancelled()) {
                journal.add(first, Moment.What.STOPPED);
            }
        });
        return answer;
    }

    /** Notes that the result of a step is written. */
    void write(Step step) {
        journal.add(step, Moment.What.WRITTEN, List.of("output"), true);
    }
}
