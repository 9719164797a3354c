package io.orderedexecutor;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * At every moment exactly those tasks have started all of whose conflicting predecessors have ended: none too early,
 * and none waits for anything else.
 *
 * <p>A failure names its seed and the fewest operations that show it; run it again with {@code -Dparallelism.seed=...},
 * and longer with {@code -Dparallelism.cases=...}.
 */
class GroupedParallelismTest {
    private static final int CASES = Rounds.of("parallelism.cases", 300, 1500);

    private final long seed = Long.getLong("parallelism.seed", System.nanoTime());

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    @Test
    @DisplayName("few tasks, many times")
    void fewTasks() {
        for (int i = 0; i < CASES; i++) {
            check(seed + i, 24);
        }
    }

    @Test
    @DisplayName("many tasks, a few times")
    void manyTasks() {
        for (int i = 0; i < CASES / 150; i++) {
            check(seed + i, 400);
        }
    }

    private static void check(long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        List<HandSteppedTasks.Op> ops = Stream.generate(() -> HandSteppedTasks.Op.random(random))
                .limit(length)
                .toList();
        Throwable failure = failureOf(ops);
        if (failure != null) {
            List<HandSteppedTasks.Op> fewest = shrink(ops);
            String text = fewest.stream().map(op -> "  " + op).collect(Collectors.joining("\n"));
            throw new AssertionError(
                    "-Dparallelism.seed=" + seed + " fails, as these operations do:\n" + text, failureOf(fewest));
        }
    }

    private static Throwable failureOf(List<HandSteppedTasks.Op> ops) {
        HandSteppedTasks tasks = new HandSteppedTasks();
        try {
            ops.forEach(tasks::perform);
            tasks.finish(new SplittableRandom(ops.size()));
            return null;
        } catch (Exception | AssertionError failure) {
            return failure;
        }
    }

    /** Leaves out what need not be there: the half, a quarter and so on, and at last one by one. */
    private static List<HandSteppedTasks.Op> shrink(List<HandSteppedTasks.Op> failing) {
        List<HandSteppedTasks.Op> fewest = failing;
        int length = failing.size() / 2;
        while (length > 0) {
            int before = fewest.size();
            for (int from = before - length; from >= 0; from -= length) {
                List<HandSteppedTasks.Op> fewer = new ArrayList<>(fewest);
                fewer.subList(from, from + length).clear();
                fewest = failureOf(fewer) == null ? fewest : fewer;
            }
            length = length > 1 || fewest.size() == before ? length / 2 : 1;
        }
        return fewest;
    }
}
