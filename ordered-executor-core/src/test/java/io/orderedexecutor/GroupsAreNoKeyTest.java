package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.ParkedTask;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups are what a task has, and no key of which there is an order: they name none in silence. */
class GroupsAreNoKeyTest {
    private final SteppedExecutor pool = new SteppedExecutor();
    private final GroupedExecutor executor = GroupedExecutor.builder()
            .executor(pool)
            .failurePolicy(FailurePolicy.park())
            .build();

    interface Call {
        void on(OrderedExecutor executor, Object key) throws InterruptedException;
    }

    private static Arguments row(String method, Call call) {
        return arguments(named(method, call));
    }

    static Stream<Arguments> methods() {
        return Stream.of(
                row("pause", (executor, key) -> executor.control().pause(key)),
                row("resume", (executor, key) -> executor.control().resume(key)),
                row("isPaused", (executor, key) -> executor.control().isPaused(key)),
                row("skip", (executor, key) -> executor.control().skip(key)),
                row("awaitIdle", (executor, key) -> executor.control().awaitIdle(key, Duration.ZERO)),
                row("snapshot", (executor, key) -> executor.inspect().snapshot(key)),
                row("explain", (executor, key) -> executor.inspect().explain(key)));
    }

    @AfterEach
    void end() {
        executor.shutdown();
        pool.runAll();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void groupsAreRefused(Call method) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> method.on(executor, Groups.exclusive("alice", "bob")))
                .withMessage("Groups [alice, bob] are not a key; pass one of the groups");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> method.on(executor.stripes(), Groups.exclusive("alice")))
                .withMessage("Groups [alice] are not a key; pass one of the groups");
    }

    static Stream<Arguments> submissions() {
        return Stream.of(
                row("execute", (executor, key) -> stripes(executor).execute(key, () -> {})),
                row("submit", (executor, key) -> stripes(executor).submit(key, () -> 1)),
                row("submitAsync", (executor, key) -> stripes(executor).submitAsync(key, () -> null)),
                row("reserve", (executor, key) -> stripes(executor).reserve(key)),
                row("execute by a view", (executor, key) -> latest(executor).execute(key, () -> {})),
                row(
                        "submit to a batcher",
                        (executor, key) -> stripes(executor)
                                .batchTo((stripe, items) -> {})
                                .build()
                                .submit(key, "item")));
    }

    private static StripedExecutor stripes(OrderedExecutor executor) {
        return (StripedExecutor) executor;
    }

    private static StripedSubmitter latest(OrderedExecutor executor) {
        return stripes(executor).with(WhenBusy.latest("slot"));
    }

    @ParameterizedTest
    @MethodSource("submissions")
    void groupsAreNoStripe(Call submission) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> submission.on(executor.stripes(), Groups.exclusive("alice")))
                .withMessage("Groups [alice] are not a key; pass one of the groups");
        assertThat(executor.inspect().queuedTasks(1)).isEmpty();
    }

    @Test
    @DisplayName("a parked task is skipped by one of its groups")
    void oneOfThem() {
        AtomicInteger runs = new AtomicInteger();
        executor.execute(Groups.exclusive("alice", "bob"), () -> {
            runs.incrementAndGet();
            throw new IllegalStateException("on purpose");
        });
        pool.runAll();
        assertThat(executor.inspect().parkedTasks())
                .singleElement()
                .extracting(ParkedTask::key)
                .isEqualTo(Groups.exclusive("alice", "bob"));
        assertThat(executor.control().skip("bob")).isTrue();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        executor.execute(Groups.exclusive("alice"), runs::incrementAndGet);
        pool.runAll();
        assertThat(runs).hasValue(2);
    }
}
