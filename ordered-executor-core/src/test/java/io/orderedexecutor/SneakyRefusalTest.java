package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: what an executor or a thread factory throws may be a checked exception; not all languages declare them. */
class SneakyRefusalTest {
    private final AtomicBoolean refusing = new AtomicBoolean(true);
    private final AtomicInteger ran = new AtomicInteger();
    private final SteppedExecutor stepped = new SteppedExecutor();

    private void refuseOr(Runnable accept) {
        if (refusing.get()) {
            sneak(new IOException("on purpose"));
        }
        accept.run();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable checked) throws E {
        throw (E) checked;
    }

    private void assertGoesOn(Executor executor, Runnable untilAllRan) {
        assertThatThrownBy(() -> executor.execute(() -> ran.addAndGet(100))).isInstanceOf(IOException.class);
        refusing.set(false);
        executor.execute(ran::incrementAndGet);
        untilAllRan.run();
        assertThat(ran).hasValue(1);
    }

    @Test
    void stripedOverAnExecutor() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> refuseOr(() -> stepped.execute(task)))
                .build();
        assertGoesOn(executor.executorFor("a"), stepped::runAll);
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
        Patience.terminate(executor);
    }

    @Test
    void boundedWithAListener() {
        HeardTasks heard = new HeardTasks();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> refuseOr(() -> stepped.execute(task)))
                .capacity(1)
                .listener(heard)
                .build();
        assertGoesOn(executor.executorFor("a"), stepped::runAll);
        assertThat(heard.count(HeardTasks.Kind.REJECTED)).isEqualTo(1);
        Patience.terminate(executor);
        heard.assertOneEndEach("");
    }

    @Test
    void groupedOverAnExecutor() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(task -> refuseOr(() -> stepped.execute(task)))
                .build();
        assertGoesOn(executor.executorFor(Groups.exclusive("a", "b")), stepped::runAll);
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
        Patience.terminate(executor);
    }

    @Test
    void serial() {
        assertGoesOn(new SerialExecutor(task -> refuseOr(() -> stepped.execute(task))), stepped::runAll);
    }

    @Test
    @DisplayName("a thread factory that throws a checked exception refuses one task, and nothing stalls")
    void threadFactory() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .threadFactory(worker -> {
                    refuseOr(() -> {});
                    return SameKind.thread(worker);
                })
                .build();
        assertGoesOn(executor.executorFor("a"), () -> Patience.terminate(executor));
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
    }

    @Test
    @DisplayName("a thread factory that throws a checked exception to a worker leaves all to the worker")
    void threadFactoryForASecondThread() {
        AtomicInteger made = new AtomicInteger();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> {
                    if (made.incrementAndGet() > 1) {
                        refuseOr(() -> {});
                    }
                    return SameKind.thread(worker);
                })
                .build();
        for (int stripe = 0; stripe < 100; stripe++) {
            executor.execute(stripe, ran::incrementAndGet);
        }
        Patience.terminate(executor);
        assertThat(ran).hasValue(100);
    }
}
