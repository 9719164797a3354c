package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.ParkedTask;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups are what a task has, and no key of which there is an order: they name none in silence. */
class GroupsAreNoKeyTest {
    private final SteppedExecutor pool = new SteppedExecutor();
    private final GroupedExecutor executor = GroupedExecutor.builder()
            .executor(pool)
            .failurePolicy(FailurePolicy.park())
            .build();

    /** What asks for one key. */
    enum Method {
        PAUSE {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.control().pause(key);
            }
        },
        RESUME {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.control().resume(key);
            }
        },
        IS_PAUSED {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.control().isPaused(key);
            }
        },
        SKIP {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.control().skip(key);
            }
        },
        AWAIT_IDLE {
            @Override
            void call(OrderedExecutor executor, Object key) throws InterruptedException {
                executor.control().awaitIdle(key, Duration.ZERO);
            }
        },
        SNAPSHOT {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.inspect().snapshot(key);
            }
        },
        EXPLAIN {
            @Override
            void call(OrderedExecutor executor, Object key) {
                executor.inspect().explain(key);
            }
        };

        abstract void call(OrderedExecutor executor, Object key) throws InterruptedException;
    }

    @AfterEach
    void end() {
        executor.shutdown();
        pool.runAll();
    }

    @ParameterizedTest
    @EnumSource
    void groupsAreRefused(Method method) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> method.call(executor, Groups.exclusive("alice", "bob")))
                .withMessage("Groups [alice, bob] are no key; pass one of them");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> method.call(executor.stripes(), Groups.exclusive("alice")))
                .withMessage("Groups [alice] are no key; pass one of them");
    }

    @Test
    @DisplayName("a parked task is skipped by one of its groups")
    void oneOfThem() {
        executor.execute(Groups.exclusive("alice", "bob"), () -> {
            throw new IllegalStateException("on purpose");
        });
        pool.runAll();
        assertThat(executor.inspect().parkedTasks())
                .singleElement()
                .extracting(ParkedTask::key)
                .isEqualTo(Groups.exclusive("alice", "bob"));
        assertThat(executor.control().skip("bob")).isTrue();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
    }
}
