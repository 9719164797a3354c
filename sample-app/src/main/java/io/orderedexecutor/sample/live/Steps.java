package io.orderedexecutor.sample.live;

import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.sample.SimulatedDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/**
 * Makes steps and sends them to the scenes. Their numbers say in which order they were sent: a {@link SerialExecutor}
 * lets no other request come between a number and its submission.
 */
@Component
class Steps {
    static final List<String> CLIENTS = List.of("alice", "bob", "carol", "dave");

    private static final int MIN_MILLIS = 100;
    private static final int MAX_MILLIS = 600;

    /** How long the model takes for an answer. */
    private static final int ANSWER_MILLIS = 600;

    private final StripedScene striped;
    private final GroupedScene grouped;
    private final OutputScene output;
    private final BusyScene busy;
    private final Journal journal;

    private final AtomicLong ids = new AtomicLong();

    /** Has no threads: the request that comes first also sends the steps of those that come meanwhile. */
    private final SerialExecutor sequence = new SerialExecutor(Runnable::run);

    /** The last number of each key. Only tasks of the sequence use it. */
    private final Map<String, Integer> numbers = new HashMap<>();

    Steps(StripedScene striped, GroupedScene grouped, OutputScene output, BusyScene busy, Journal journal) {
        this.striped = striped;
        this.grouped = grouped;
        this.output = output;
        this.busy = busy;
        this.journal = journal;
    }

    /** Sends the same steps to both sides: ours and {@code @Async}. */
    void burst(int steps) {
        sequence.execute(() -> {
            for (int i = 0; i < steps; i++) {
                both(CLIENTS.get(i % CLIENTS.size()), anyDuration());
            }
        });
    }

    void flood(String client, int steps) {
        sequence.execute(() -> {
            for (int i = 0; i < steps; i++) {
                both(client, MIN_MILLIS);
            }
        });
    }

    void slow(String client) {
        sequence.execute(() -> both(client, SimulatedDatabase.MAX_AMOUNT));
    }

    /** For our side only: what fails there parks its client. */
    void fail(String client) {
        sequence.execute(() -> send(
                step(Step.Lane.STRIPED, List.of(client), next(client), anyDuration(), Step.Kind.FAILING),
                striped::ordered));
    }

    private void both(String client, int millis) {
        int number = next(client);
        send(step(Step.Lane.ASYNC, List.of(client), number, millis, Step.Kind.PLAIN), striped::unordered);
        send(step(Step.Lane.STRIPED, List.of(client), number, millis, Step.Kind.PLAIN), striped::ordered);
    }

    private int next(String key) {
        return numbers.merge(key, 1, Integer::sum);
    }

    /** Sends deposits, transfers and statements. */
    void bank(int steps) {
        for (int i = 0; i < steps; i++) {
            String from = anyClient();
            String to = anyClient();
            if (from.equals(to)) {
                grouped(List.of(from), i % 2 == 0 ? Step.Kind.SHARED : Step.Kind.PLAIN);
            } else if (i % 3 == 0) {
                transfer(from, to);
            } else {
                grouped(List.of(from), Step.Kind.PLAIN);
            }
        }
    }

    void transfer(String from, String to) {
        grouped(List.of(from, to), Step.Kind.PLAIN);
    }

    private void grouped(List<String> keys, Step.Kind kind) {
        sequence.execute(() -> send(
                step(Step.Lane.GROUPED, keys, next("all accounts"), anyDuration(), kind),
                kind == Step.Kind.SHARED ? grouped::read : grouped::change));
    }

    /** Returns when all are written. */
    void render(int steps) throws InterruptedException {
        List<Step> all = new ArrayList<>();
        for (int number = 1; number <= steps; number++) {
            Step step = step(Step.Lane.OUTPUT, List.of(), number, anyDuration(), Step.Kind.PLAIN);
            journal.add(step, Moment.What.QUEUED);
            all.add(step);
        }
        output.render(all);
    }

    /** Sends a message to four sessions, each of which does something else if it is busy. */
    void message() {
        message("collect", step -> busy.collect("collect", List.of(step)));
        message("latest", step -> busy.latest("latest", step));
        message("interrupt", step -> busy.interrupt("interrupt", step));
        message("followup", step -> busy.followup("followup", step));
    }

    private void message(String session, Function<Step, CompletableFuture<Void>> scene) {
        sequence.execute(() ->
                send(step(Step.Lane.BUSY, List.of(session), next(session), ANSWER_MILLIS, Step.Kind.PLAIN), scene));
    }

    private Step step(Step.Lane lane, List<String> keys, int number, int millis, Step.Kind kind) {
        return new Step(ids.incrementAndGet(), lane, keys, number, millis, kind);
    }

    /** A call that is rejected is shown; the others of the same button are sent all the same. */
    private void send(Step step, Function<Step, CompletableFuture<Void>> scene) {
        journal.add(step, Moment.What.QUEUED);
        try {
            CompletableFuture<Void> result = scene.apply(step);
            var unused = result.whenComplete((nothing, failure) -> {
                if (failure != null) {
                    journal.add(step, Moment.What.CANCELLED);
                }
            });
        } catch (RejectedExecutionException full) {
            journal.add(step, Moment.What.REJECTED);
        }
    }

    private static String anyClient() {
        return CLIENTS.get(ThreadLocalRandom.current().nextInt(CLIENTS.size()));
    }

    private static int anyDuration() {
        return ThreadLocalRandom.current().nextInt(MIN_MILLIS, MAX_MILLIS);
    }
}
