package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Allocation;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R8: room for one wakes one: what others do costs a submitter that waits nothing, and it costs them nothing. */
class BlockedSubmittersTest {
    private static final int WAITING = 50;
    private static final int TASKS = 1000;

    private final Overflow block = Overflow.block(Duration.ofMinutes(5));
    private final List<Thread> submitters = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();

    /** How often keys were compared: who waits for room in one and tries again has to look for it. */
    private final AtomicInteger comparisons = new AtomicInteger();

    private final class Key {
        private final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return number;
        }

        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Key key && key.number == number;
        }
    }

    @AfterEach
    void end() {
        submitters.forEach(Thread::interrupt);
        submitters.forEach(Patience::join);
    }

    private void startWaiting(Runnable submission) {
        Thread thread = new Thread(() -> {
            try {
                submission.run();
            } catch (RejectedExecutionException interrupted) {
                ran.addAndGet(1_000_000);
            }
        });
        submitters.add(thread);
        thread.start();
        Patience.awaitParked(thread);
    }

    /** How often each of those who wait has begun to do so: once more each time it was woken in vain. */
    private Map<Thread, Long> waits() {
        Map<Thread, Long> waits = new HashMap<>();
        for (Thread submitter : submitters) {
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(submitter.getId());
            if (info != null) {
                waits.put(submitter, info.getWaitedCount());
            }
        }
        return waits;
    }

    /** How often those were woken in vain that still wait. */
    private long wokenSince(Map<Thread, Long> before) {
        return waits().entrySet().stream()
                .mapToLong(now -> now.getValue() - before.get(now.getKey()))
                .sum();
    }

    @Test
    @DisplayName("submitters that wait for room in stripes of their own do not try again when others' tasks run")
    void stripesOfTheirOwn() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .keyCapacity(1)
                .overflow(block)
                .build();
        for (int i = 0; i < WAITING; i++) {
            int number = i;
            executor.control().pause(new Key(number));
            executor.execute(new Key(number), ran::incrementAndGet);
            startWaiting(() -> executor.execute(new Key(number), ran::incrementAndGet));
        }
        int comparisonsBefore = comparisons.get();
        Map<Thread, Long> waitsBefore = waits();
        for (int task = 0; task < TASKS; task++) {
            executor.execute("other", ran::incrementAndGet);
            stepped.runAll();
        }
        assertThat(ran).hasValue(TASKS);
        assertThat(wokenSince(waitsBefore))
                .as("times that those who wait were woken")
                .isZero();
        assertThat(comparisons.get() - comparisonsBefore)
                .as("comparisons of keys in which there is no room")
                .isZero();
        for (int i = 0; i < WAITING; i++) {
            executor.control().resume(new Key(i));
            stepped.runAll();
        }
        submitters.forEach(Patience::join);
        stepped.runAll();
        assertThat(ran).hasValue(TASKS + 2 * WAITING);
    }

    /** What a submission and the run of its task allocate while so many wait for room in stripes of their own. */
    private double bytesBeside(int waiting) {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .keyCapacity(1)
                .overflow(block)
                .build();
        for (int i = 0; i < waiting; i++) {
            Key key = new Key(i);
            executor.control().pause(key);
            executor.execute(key, ran::incrementAndGet);
            startWaiting(() -> executor.execute(key, ran::incrementAndGet));
        }
        long bytes = Allocation.ofLeastRound(() -> {
            for (int task = 0; task < TASKS; task++) {
                executor.execute("other", ran::incrementAndGet);
                stepped.runAll();
            }
        });
        return (double) bytes / TASKS;
    }

    @Test
    @DisplayName("what a submission costs does not grow with the submitters that wait for room in other stripes")
    void oneOrManyThatWait() {
        double besideOne = bytesBeside(1);
        assertThat(bytesBeside(4 * WAITING))
                .as("bytes for each task; %s beside one that waits", besideOne)
                .isLessThan(besideOne + 50);
        assertThat(ran).hasValue(2 * Allocation.ROUNDS * TASKS);
    }

    @Test
    @DisplayName("room in a group wakes one of those who wait for it")
    void oneGroup() {
        SteppedExecutor stepped = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(stepped)
                .turn(1, Duration.ofMinutes(1))
                .keyCapacity(1)
                .overflow(block)
                .build();
        executor.execute(Groups.exclusive(new Key(1)), ran::incrementAndGet);
        for (int i = 0; i < WAITING; i++) {
            startWaiting(() -> executor.execute(Groups.exclusive(new Key(1)), ran::incrementAndGet));
        }
        assertOneIsWokenByEach(stepped);
    }

    private OrderedOutput<Integer> open(OrderedOutputExecutor executor) {
        return executor.open(result -> ran.incrementAndGet());
    }

    @Test
    @DisplayName("room in the window of an output wakes one of those who wait for it")
    void oneOutput() {
        SteppedExecutor stepped = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).window(1).build();
        OrderedOutput<Integer> output = open(executor);
        var unused = output.submit(() -> 0);
        for (int i = 0; i < WAITING; i++) {
            startWaiting(() -> output.submit(() -> 0));
        }
        assertOneIsWokenByEach(stepped);
    }

    @Test
    @DisplayName("submitters that wait for room in outputs of their own sleep on when others are written")
    void outputsOfTheirOwn() {
        SteppedExecutor stepped = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).window(1).build();
        CompletableFuture<Integer> gate = new CompletableFuture<>();
        for (int i = 0; i < WAITING; i++) {
            OrderedOutput<Integer> full = open(executor);
            var unused = full.submitAsync(() -> gate);
            startWaiting(() -> full.submit(() -> 0));
        }
        OrderedOutput<Integer> other = open(executor);
        Map<Thread, Long> before = waits();
        for (int task = 0; task < TASKS; task++) {
            var unused = other.submit(() -> 0);
            stepped.runAll();
        }
        assertThat(ran).hasValue(TASKS);
        assertThat(wokenSince(before))
                .as("times that those who wait were woken")
                .isZero();
        gate.complete(0);
        stepped.runAll();
        submitters.forEach(Patience::join);
        stepped.runAll();
        assertThat(ran).hasValue(TASKS + 2 * WAITING);
    }

    @Test
    @DisplayName("an output that closes wakes all that wait for its window")
    void closedOutput() {
        SteppedExecutor stepped = new SteppedExecutor();
        OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().executor(stepped).window(1).build();
        OrderedOutput<Integer> output = open(executor);
        var unused = output.submit(() -> 0);
        for (int i = 0; i < WAITING; i++) {
            startWaiting(() -> output.submit(() -> 0));
        }
        assertThat(submitters).allMatch(Thread::isAlive);
        output.stop();
        submitters.forEach(Patience::join);
        stepped.runAll();
        assertThat(ran).as("none is written, and all who waited are refused").hasValue(WAITING * 1_000_000);
    }

    @Test
    @DisplayName("a permit wakes one of those who wait for one")
    void onePermit() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(1)
                .overflow(block)
                .build();
        executor.execute("a", ran::incrementAndGet);
        for (int i = 0; i < WAITING; i++) {
            int stripe = i;
            startWaiting(() -> executor.execute(stripe, ran::incrementAndGet));
        }
        assertOneIsWokenByEach(stepped);
    }

    @Test
    @DisplayName("who waits for a full stripe behind another holds up none that has a permit and room")
    void behindOneThatFindsItsStripeFull() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(2)
                .keyCapacity(1)
                .overflow(block)
                .build();
        executor.control().pause("full");
        executor.execute("full", ran::incrementAndGet);
        executor.execute("other", ran::incrementAndGet);
        for (int i = 0; i < 3; i++) {
            startWaiting(() -> executor.execute("full", ran::incrementAndGet));
        }
        startWaiting(() -> executor.execute("free", ran::incrementAndGet));
        assertThat(stepped.runNext()).isTrue();
        Patience.join(submitters.get(3));
        startWaiting(() -> executor.execute("free", ran::incrementAndGet));
        assertThat(stepped.runNext()).isTrue();
        Patience.join(submitters.get(4));
        stepped.runAll();
        assertThat(ran).as("tasks of stripes with room").hasValue(3);
        executor.control().resume("full");
        for (int i = 0; i < 3; i++) {
            stepped.runAll();
            Patience.join(submitters.get(i));
        }
        stepped.runAll();
        assertThat(ran).hasValue(7);
    }

    @Test
    @DisplayName("room in a group goes to those who wait for it, first come, first served")
    void firstComeFirstServedInAGroup() {
        SteppedExecutor stepped = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(stepped)
                .keyCapacity(1)
                .overflow(block)
                .build();
        executor.control().pause("a");
        executor.execute(Groups.exclusive("a"), ran::incrementAndGet);
        executor.execute(Groups.exclusive("b"), ran::incrementAndGet);
        startWaiting(() -> executor.execute(Groups.exclusive("b"), ran::incrementAndGet));
        startWaiting(() -> executor.execute(Groups.exclusive("a"), ran::incrementAndGet));
        startWaiting(() -> executor.execute(Groups.exclusive("a", "b"), ran::incrementAndGet));
        stepped.runAll();
        Patience.join(submitters.get(0));
        stepped.runAll();
        assertThat(ran).as("tasks of the group with room").hasValue(2);
        executor.control().resume("a");
        stepped.runAll();
        Patience.join(submitters.get(1));
        stepped.runAll();
        Patience.join(submitters.get(2));
        stepped.runAll();
        assertThat(ran).hasValue(5);
    }

    @Test
    @DisplayName("no submitter sleeps on when workers make room, in its stripe or in the executor, while it looks")
    void noLostWakeUp() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .capacity(8)
                .keyCapacity(2)
                .overflow(block)
                .build();
        OrderRecorder recorder = new OrderRecorder();
        List<OrderRecorder.Lane> lanes =
                Stream.of("a", "b", "c", "d", "e", "f").map(recorder::lane).toList();
        for (int i = 0; i < 8; i++) {
            List<OrderRecorder.Source> sources =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            submitters.add(new Thread(() -> {
                for (int task = 0; task < TASKS; task++) {
                    int lane = task % lanes.size();
                    executor.execute(lanes.get(lane), sources.get(lane).next());
                }
            }));
        }
        submitters.forEach(Thread::start);
        submitters.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(8 * TASKS);
    }

    private void assertOneIsWokenByEach(SteppedExecutor stepped) {
        long inVain = 0;
        for (int task = 0; task < WAITING; task++) {
            Thread next = submitters.remove(0);
            Map<Thread, Long> before = waits();
            // one step is one task: what the woken submitter places meanwhile would wake the next one, and rightly so
            assertThat(stepped.runNext()).isTrue();
            Patience.join(next);
            inVain += wokenSince(before);
        }
        stepped.runAll();
        assertThat(ran).hasValue(1 + WAITING);
        assertThat(inVain).as("times that one was woken in vain").isZero();
    }
}
