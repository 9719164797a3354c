package io.orderedexecutor.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A test as an application would write it, with executors that have threads of their own in production. */
class TestThreadTest {
    private final List<String> ran = new ArrayList<>();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withPropertyValues(
                    "ordered-executor.defaults.threads=8",
                    "ordered-executor.striped.own.threads=2",
                    "ordered-executor.grouped.groupedExecutor.threads=2")
            .withUserConfiguration(TestThread.class)
            .withBean(Service.class, () -> new Service(ran));

    @Test
    void callsAreMadeWhenTheyReturn() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            String here = Thread.currentThread().getName();
            assertThat(service.book("alice", "first")).isCompletedWithValue(here);
            service.audit("alice");
            assertThat(service.transfer("alice", "bob")).isCompletedWithValue(here);
            assertThat(ran).containsExactly("first of alice", "audit of alice", "alice to bob");
        });
    }

    @Test
    void whatIsHeldRunsWhenTheTestSaysSo() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            TestThread thread = context.getBean(TestThread.class);
            assertThat(thread.runNext()).isFalse();
            thread.hold();
            CompletableFuture<String> first = service.book("alice", "first");
            CompletableFuture<String> ofBob = service.book("bob", "first");
            CompletableFuture<String> cancelled = service.book("alice", "second");
            assertThat(first).isNotDone();
            assertThat(ran).isEmpty();
            cancelled.cancel(false);
            assertThat(thread.runNext()).isTrue();
            assertThat(first).isCompleted();
            assertThat(ofBob).isNotDone();
            thread.runAll();
            assertThat(ran).containsExactly("first of alice", "first of bob");
            service.book("bob", "last");
            assertThat(ran).hasSize(2);
            thread.release();
            service.book("bob", "very last");
            assertThat(ran).containsExactly("first of alice", "first of bob", "last of bob", "very last of bob");
        });
    }

    @Test
    void withoutItExecutorsHaveTheirThreads() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                .withPropertyValues("ordered-executor.striped.own.threads=2")
                .withBean(Service.class, () -> new Service(ran))
                .run(context -> assertThat(
                                context.getBean(Service.class).book("a", "b").get())
                        .startsWith("stripedExecutor-"));
    }

    static class Service {
        private final List<String> ran;

        Service(List<String> ran) {
            this.ran = ran;
        }

        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> book(String client, String what) {
            ran.add(what + " of " + client);
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(stripe = "#client", executor = "own")
        public void audit(String client) {
            ran.add("audit of " + client);
        }

        @OrderedAsync(groups = "{#from, #to}")
        public CompletableFuture<String> transfer(String from, String to) {
            ran.add(from + " to " + to);
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }
}
