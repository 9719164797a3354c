package io.orderedexecutor.test.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.test.Fault;
import io.orderedexecutor.test.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/** Mistakes that applications make with ordered executors. */
final class PlantedBugs {
    private PlantedBugs() {}

    static Map<String, Planted> all() {
        Map<String, Planted> all = new LinkedHashMap<>();
        all.put("lost update over two methods", PlantedBugs::lostUpdate);
        all.put("forgotten group", PlantedBugs::forgottenGroup);
        all.put("order assumed across keys", PlantedBugs::orderAcrossKeys);
        all.put("check outside its stripe", PlantedBugs::checkOutside);
        all.put("self-wait", PlantedBugs::selfWait);
        all.put("stripes that wait for each other", PlantedBugs::mutualWait);
        all.put("token never given back", PlantedBugs::lostToken);
        all.put("cancellation that came too late", PlantedBugs::lateCancellation);
        all.put("retry that is not safe to repeat", PlantedBugs::unsafeRetry);
        all.put("failure without a retry", PlantedBugs::droppedRetry);
        all.put("stripe not held until the answer", PlantedBugs::unheldStripe);
        all.put("mark cleared too late", PlantedBugs::lateMark);
        all.put("rejection that leaves a trace", PlantedBugs::ignoredRejection);
        all.put("stale answer after a time-out", PlantedBugs::staleAnswer);
        return all;
    }

    /** The balance is read in one task and written in another. */
    private static void lostUpdate(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("accounts").build();
        Map<String, Integer> balances = new HashMap<>();
        Runnable deposit = () -> {
            if (correct) {
                executor.submit("alice", () -> balances.merge("alice", 1, Integer::sum))
                        .join();
            } else {
                int balance = executor.submit("alice", () -> balances.getOrDefault("alice", 0))
                        .join();
                executor.execute("alice", () -> balances.put("alice", balance + 1));
            }
        };
        simulation.thread("first", deposit::run);
        simulation.thread("second", deposit::run);
        simulation.run();
        assertThat(balances).containsEntry("alice", 2);
    }

    /** A transfer touches two accounts, and names one. */
    private static void forgottenGroup(Simulation simulation, boolean correct) {
        GroupedExecutor executor = simulation.grouped("accounts").build();
        Map<String, Integer> balances = new HashMap<>(Map.of("alice", 10, "bob", 10));
        transfer(simulation, executor, correct, balances, "alice", "bob", 1);
        transfer(simulation, executor, correct, balances, "bob", "alice", 3);
        simulation.run();
        assertThat(balances).containsEntry("alice", 12).containsEntry("bob", 8);
    }

    private static void transfer(
            Simulation simulation,
            GroupedExecutor executor,
            boolean correct,
            Map<String, Integer> balances,
            String from,
            String to,
            int amount) {
        executor.execute(correct ? Groups.exclusive(from, to) : Groups.exclusive(from), () -> {
            int source = balances.get(from);
            int target = balances.get(to);
            simulation.yieldPoint("between read and write");
            balances.put(from, source - amount);
            balances.put(to, target + amount);
        });
    }

    /** An order is created under its own key, and paid under that of the customer. */
    private static void orderAcrossKeys(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("orders").build();
        List<String> orders = new ArrayList<>();
        executor.execute("order 1", () -> orders.add("created"));
        executor.execute(
                correct ? "order 1" : "customer 7", () -> assertThat(orders).contains("created"));
    }

    /** Whether there is room is asked by the caller, and taken in the stripe. */
    private static void checkOutside(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("seats").build();
        List<String> taken = new ArrayList<>();
        for (String guest : List.of("alice", "bob")) {
            simulation.thread(guest, () -> {
                if (correct || taken.isEmpty()) {
                    executor.execute("seat 1", () -> {
                        if (!correct || taken.isEmpty()) {
                            taken.add(guest);
                        }
                    });
                }
            });
        }
        simulation.run();
        assertThat(taken).hasSize(1);
    }

    /** A task waits for another one of its own stripe. */
    private static void selfWait(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("documents").build();
        CompletableFuture<String> saved = correct
                ? executor.submit("doc", () -> "text").thenCompose(text -> executor.submit("doc", () -> text + "!"))
                : executor.submit(
                        "doc", () -> executor.submit("doc", () -> "text").join().concat("!"));
        assertThat(saved.handle((text, failure) -> failure == null ? text : failure.toString()))
                .satisfies(future -> assertThat(simulation.await(future)).isEqualTo("text!"));
    }

    /** A task of one stripe waits for one of another, and the other way round. */
    private static void mutualWait(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("nodes").build();
        CompletableFuture<Integer> first = askOther(executor, "a", "b", correct);
        CompletableFuture<Integer> second = askOther(executor, "b", "a", correct);
        assertThat(simulation.await(first) + simulation.await(second)).isEqualTo(2);
    }

    private static CompletableFuture<Integer> askOther(
            StripedExecutor executor, String mine, String other, boolean correct) {
        return correct
                ? executor.submit(mine, () -> 0).thenCompose(any -> executor.submit(other, () -> 1))
                : executor.submit(mine, () -> executor.submit(other, () -> 1).join());
    }

    /** A token is taken for each task, and given back by those that do not fail. */
    private static void lostToken(Simulation simulation, boolean correct) {
        simulation.faults(Fault.EXCEPTION);
        StripedExecutor executor = simulation.striped("calls").build();
        int[] tokens = {2};
        for (int i = 0; i < 3; i++) {
            simulation.thread("caller " + i, () -> {
                simulation.await("a token", () -> tokens[0] > 0);
                tokens[0]--;
                CompletableFuture<Void> call = executor.submit("remote", () -> null);
                if (correct) {
                    call.whenComplete((any, failure) -> tokens[0]++);
                } else {
                    call.thenRun(() -> tokens[0]++);
                }
            });
        }
        simulation.run();
        assertThat(tokens[0]).isEqualTo(2);
    }

    /** Whoever cancels takes it that the task has not run. */
    private static void lateCancellation(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("payments").build();
        int[] money = {10};
        CompletableFuture<Integer> payment = executor.submit("alice", () -> money[0] -= 5);
        boolean[] believed = {false};
        simulation.thread("cancels", () -> {
            boolean cancelled = payment.cancel(false);
            believed[0] = cancelled || !correct;
        });
        simulation.run();
        if (believed[0]) {
            assertThat(money[0]).as("a cancelled payment costs nothing").isEqualTo(10);
        }
    }

    /** What fails after its effect is run again. */
    private static void unsafeRetry(Simulation simulation, boolean correct) {
        simulation.faults(Fault.EXCEPTION);
        StripedExecutor executor = simulation
                .striped("mails")
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(49)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenProceed())
                .build();
        Map<Integer, Integer> sent = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            int mail = i;
            executor.execute("alice", () -> {
                if (correct) {
                    sent.put(mail, 1);
                } else {
                    sent.merge(mail, 1, Integer::sum);
                }
                simulation.yieldPoint("after the effect");
            });
        }
        simulation.run();
        assertThat(sent.values()).hasSize(3).containsOnly(1);
    }

    /** An event whose task fails is gone. */
    private static void droppedRetry(Simulation simulation, boolean correct) {
        simulation.faults(Fault.EXCEPTION);
        StripedExecutor executor = simulation
                .striped("events")
                .failurePolicy(
                        correct
                                ? FailurePolicy.retry()
                                        .maxRetries(49)
                                        .delay(Duration.ofSeconds(1))
                                        .multiplier(2)
                                        .thenPark()
                                : FailurePolicy.proceed())
                .build();
        List<Integer> handled = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int event = i;
            executor.execute("alice", () -> handled.add(event));
        }
        simulation.run();
        assertThat(handled).containsExactly(0, 1, 2);
    }

    /** The stripe is free when the call is made, and not when its answer is there. */
    private static void unheldStripe(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("sessions").build();
        List<Integer> answers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            if (correct) {
                executor.submitAsync(
                        "alice", () -> simulation.stage("answer", number).thenAccept(answers::add));
            } else {
                executor.execute(
                        "alice", () -> simulation.stage("answer", number).thenAccept(answers::add));
            }
        }
        simulation.run();
        assertThat(answers).containsExactly(0, 1);
    }

    /** A refresh is submitted unless one is marked as queued; the mark is cleared after the read. */
    private static void lateMark(Simulation simulation, boolean correct) {
        StripedExecutor executor = simulation.striped("caches").build();
        int[] source = {0};
        int[] cache = {0};
        boolean[] queued = {false};
        simulation.thread("writer", () -> {
            for (int i = 1; i <= 2; i++) {
                source[0] = i;
                if (!queued[0]) {
                    queued[0] = true;
                    executor.execute("cache", () -> {
                        if (correct) {
                            queued[0] = false;
                        }
                        int read = source[0];
                        simulation.yieldPoint("between read and write");
                        cache[0] = read;
                        if (!correct) {
                            queued[0] = false;
                        }
                    });
                }
            }
        });
        simulation.run();
        assertThat(cache[0]).isEqualTo(2);
    }

    /** What is counted before the submission stays counted if that is rejected. */
    private static void ignoredRejection(Simulation simulation, boolean correct) {
        StripedExecutor executor =
                simulation.striped("uploads").capacity(1).threads(1).build();
        int[] open = {0};
        for (int i = 0; i < 3; i++) {
            simulation.thread("caller " + i, () -> {
                open[0]++;
                try {
                    executor.execute("alice", () -> open[0]--);
                } catch (RejectedExecutionException full) {
                    if (correct) {
                        open[0]--;
                    }
                }
            });
        }
        simulation.run();
        assertThat(open[0]).isZero();
    }

    /** A caller that gives up takes it that its task has no effect any more. */
    private static void staleAnswer(Simulation simulation, boolean correct) {
        simulation.faults(Fault.SLOWNESS);
        StripedExecutor executor = simulation.striped("bookings").build();
        List<String> booked = new ArrayList<>();
        CompletableFuture<Boolean> booking = executor.submit("room", () -> booked.add("alice"));
        boolean done;
        try {
            done = booking.get(10, java.util.concurrent.TimeUnit.SECONDS);
        } catch (Exception tooLate) {
            // only one that was cancelled in time will not come
            done = correct && !booking.cancel(false) && !wasCancelled(booking);
        }
        simulation.run();
        assertThat(booked).hasSize(done ? 1 : 0);
    }

    private static boolean wasCancelled(CompletableFuture<?> future) {
        try {
            future.join();
            return false;
        } catch (CompletionException | java.util.concurrent.CancellationException failed) {
            return true;
        }
    }
}
