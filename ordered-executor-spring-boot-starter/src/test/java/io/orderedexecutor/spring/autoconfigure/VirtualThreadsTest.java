package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Whoever makes a virtual thread start, the tasks of others run on it: it has nothing of that one. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();
    private static final int USERS = 8;
    private static final int CALLS_OF_EACH = 2_000;

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    TaskExecutionAutoConfiguration.class,
                    OrderedExecutorAutoConfiguration.class))
            .withPropertyValues("spring.threads.virtual.enabled=true");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noCallSeesTheUserOfAnother(boolean isContextPropagated) {
        Work target = new Work();
        contexts.withPropertyValues("spring.task.execution.propagate-context=" + isContextPropagated)
                .withBean(Work.class, () -> target)
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    var calls = new ConcurrentLinkedQueue<CompletableFuture<Void>>();
                    List<Thread> users = new ArrayList<>();
                    for (int i = 0; i < USERS; i++) {
                        int user = i;
                        users.add(new Thread(() -> {
                            USER.set("user " + user);
                            for (int n = 0; n < CALLS_OF_EACH; n++) {
                                calls.add(work.act("room " + n % 3, user * CALLS_OF_EACH + n));
                            }
                        }));
                    }
                    users.forEach(Thread::start);
                    for (Thread user : users) {
                        user.join();
                    }
                    CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                            .get(30, TimeUnit.SECONDS);
                    assertThat(target.ran)
                            .containsExactlyInAnyOrderElementsOf(IntStream.range(0, USERS * CALLS_OF_EACH)
                                    .boxed()
                                    .toList());
                    assertThat(target.seen).isEmpty();
                });
    }

    static class Work {
        final ConcurrentLinkedQueue<Integer> ran = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

        @OrderedAsync(stripe = "#room")
        public CompletableFuture<Void> act(String room, int number) {
            ran.add(number);
            if (USER.get() != null) {
                seen.add(USER.get());
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    /** A virtual thread that inherits nothing would have that of the system, which knows no class of a Boot jar. */
    @Test
    void theirClassLoaderIsThatOfTheApplicationWhoeverSubmits() {
        var ofApplication = new FilteredClassLoader("nothing");
        contexts.withClassLoader(ofApplication).run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            Thread.currentThread().setContextClassLoader(new FilteredClassLoader("of the submitter"));
            try {
                assertThat(executor.submit("a", () -> Thread.currentThread().getContextClassLoader())
                                .get(30, TimeUnit.SECONDS))
                        .isSameAs(ofApplication);
            } finally {
                Thread.currentThread().setContextClassLoader(ofApplication);
            }
        });
    }
}
