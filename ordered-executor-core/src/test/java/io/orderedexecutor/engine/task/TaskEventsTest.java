package io.orderedexecutor.engine.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All listeners hear the same, each of its own. */
class TaskEventsTest {

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void bothHearEveryEventInTheirOrderAlsoIfTheFirstThrows() throws ReflectiveOperationException {
        List<String> heard = new ArrayList<>();
        TaskEvents both = new TaskEvents(List.of(
                listener((proxy, method, arguments) -> {
                    heard.add("first " + method.getName() + Arrays.toString(arguments));
                    throw new ThrownOnPurpose();
                }),
                listener((proxy, method, arguments) -> {
                    heard.add("second " + method.getName() + Arrays.toString(arguments));
                    return null;
                })));
        List<String> expected = new ArrayList<>();
        for (Method event : TaskListener.class.getMethods()) {
            if (!Modifier.isStatic(event.getModifiers())) {
                Object[] arguments = Arrays.stream(event.getParameterTypes())
                        .map(this::example)
                        .toArray();
                TaskEvents.class
                        .getDeclaredMethod(event.getName(), event.getParameterTypes())
                        .invoke(both, arguments);
                expected.add("first " + event.getName() + Arrays.toString(arguments));
                expected.add("second " + event.getName() + Arrays.toString(arguments));
            }
        }
        assertThat(expected).hasSize(28);
        assertThat(heard).isEqualTo(expected);
    }

    @Test
    void whatDoesNothingIsLeftOut() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(Runnable::run)
                .listener(TaskListener.NO_OP)
                .listener(TaskListener.NO_OP)
                .build();
        assertThat(executor.inspect().settings().listening()).isFalse();
        executor.close();
    }

    @Test
    void allThatABuilderIsGivenHearOfATask() {
        HeardTasks first = new HeardTasks();
        HeardTasks second = new HeardTasks();
        HeardTasks third = new HeardTasks();
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .listener(first)
                .listener(second)
                .listener(third)
                .build();
        Runnable task = () -> {};
        executor.execute("a", task);
        stepped.runAll();
        executor.close();
        for (HeardTasks heard : List.of(first, second, third)) {
            assertThat(heard.kindsOf(task))
                    .containsExactly(HeardTasks.Kind.QUEUED, HeardTasks.Kind.STARTED, HeardTasks.Kind.FINISHED);
        }
    }

    private static TaskListener listener(InvocationHandler handler) {
        return (TaskListener) Proxy.newProxyInstance(
                TaskListener.class.getClassLoader(), new Class<?>[] {TaskListener.class}, handler);
    }

    /** A different one each time, so that a mistaken order would show. */
    private Object example(Class<?> type) {
        if (type == long.class) {
            return nanos.incrementAndGet();
        }
        if (type == int.class) {
            return 3;
        }
        if (type == Duration.class) {
            return Duration.ofMillis(5);
        }
        return type == Throwable.class ? new ThrownOnPurpose() : new Object();
    }
}
