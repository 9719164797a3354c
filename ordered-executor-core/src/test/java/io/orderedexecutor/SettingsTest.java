package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an executor says of its settings. */
class SettingsTest {
    private static final TaskListener LISTENER = new TaskListener() {};

    @Test
    void defaults() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(3).build()) {
            assertThat(executor.inspect().settings())
                    .isEqualTo(new OrderedExecutorSettings(
                            3,
                            64,
                            Duration.ofMillis(1),
                            null,
                            null,
                            Overflow.reject(),
                            FailurePolicy.proceed(),
                            false,
                            null,
                            false));
        }
    }

    @Test
    void whatWasBuiltAndWhatChangesWhileItRuns() {
        Overflow overflow = Overflow.block(Duration.ofSeconds(2));
        FailurePolicy policy = FailurePolicy.park();
        try (GroupedExecutor executor = GroupedExecutor.builder()
                .threads(1)
                .turn(5, Duration.ofMillis(7))
                .capacity(100)
                .keyCapacity(10)
                .overflow(overflow)
                .failurePolicy(policy)
                .listener(LISTENER)
                .build()) {
            assertThat(executor.inspect().settings())
                    .isEqualTo(new OrderedExecutorSettings(
                            1, 5, Duration.ofMillis(7), 100, 10, overflow, policy, false, null, true));
            executor.control().setThreads(4);
            executor.control().setCapacity(200);
            executor.control().setKeyCapacity(20);
            assertThat(executor.inspect().settings())
                    .isEqualTo(new OrderedExecutorSettings(
                            4, 5, Duration.ofMillis(7), 200, 20, overflow, policy, false, null, true));
        }
    }

    @Test
    @DisplayName("threads of others are not counted, and a capacity of one kind says nothing of the other")
    void threadsOfOthers() {
        try (StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).keyCapacity(5).build()) {
            assertThat(executor.inspect().settings().threads()).isNull();
            assertThat(executor.inspect().settings().capacity()).isNull();
            assertThat(executor.inspect().settings().keyCapacity()).isEqualTo(5);
        }
    }

    @Test
    void howStripesAreCompared() {
        try (StripedExecutor executor =
                StripedExecutor.builder().threads(1).identityStripes().build()) {
            assertThat(executor.inspect().settings().identityStripes()).isTrue();
        }
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(1).build()) {
            assertThat(executor.inspect().settings().identityStripes()).isFalse();
            assertThat(executor.stripes().inspect().settings().identityStripes())
                    .isFalse();
        }
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(1).build()) {
            assertThat(executor.inspect().settings().identityStripes()).isTrue();
        }
    }

    @Test
    void groupsOfATaskAreAKeyOnlyWhereStripesAreNoGroups() {
        Groups groups = Groups.exclusive("a", "b");
        try (StripedExecutor executor = StripedExecutor.builder().threads(1).build()) {
            executor.control().pause(groups);
            assertThat(executor.control().isPaused(groups)).isTrue();
            assertThat(executor.inspect().snapshot(groups)).isPresent();
        }
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(1).build()) {
            for (OrderedExecutor face : List.of(executor, executor.stripes())) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> face.control().pause(groups));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> face.inspect().snapshot(groups));
            }
        }
    }

    @Test
    void aStripeIsPausedByItselfOrNotAtAll() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(1).build()) {
            executor.control().pause();
            executor.control().pause("a");
            assertThat(executor.control().isPaused("a")).isTrue();
            assertThat(executor.control().isPaused("b")).isFalse();
            executor.control().resume();
            assertThat(executor.control().isPaused("a")).isTrue();
            assertThat(executor.control().resume("a")).isTrue();
            assertThat(executor.control().isPaused("a")).isFalse();
        }
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void aLeaseOfReservationsHasToBePositive() {
        StripedExecutorBuilder builder = StripedExecutor.builder().threads(1).reservationLease(Duration.ofNanos(1));
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder.reservationLease(none))
                    .withMessage("reservationLease is " + none + ", but must be positive; leave it out for no limit");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> builder.reservationLease(null))
                .withMessage("reservationLease");
        try (StripedExecutor executor = builder.build()) {
            assertThat(executor.inspect().settings().reservationLease())
                    .as("what was refused changes nothing")
                    .isEqualTo(Duration.ofNanos(1));
        }
    }
}
