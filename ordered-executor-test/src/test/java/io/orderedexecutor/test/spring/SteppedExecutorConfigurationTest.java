package io.orderedexecutor.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.test.SteppedExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A test as an application would write it, with executors that have threads of their own in production. */
@Timeout(60)
class SteppedExecutorConfigurationTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, TaskExecutionAutoConfiguration.class))
            .withPropertyValues("ordered-executor.threads=8", "ordered-executor.striped.own.threads=2")
            .withBean(Service.class, () -> new Service(ran));
    private final ApplicationContextRunner steppedContexts =
            contexts.withUserConfiguration(SteppedExecutorConfiguration.class).withBean(TestInstance.class);

    @Test
    void aContextThatIsStartedAgainHoldsItsSteps() {
        steppedContexts.run(context -> {
            context.stop();
            context.start();
            CompletableFuture<String> call = context.getBean(Service.class).book("alice", "first");
            assertThat(ran).isEmpty();
            context.getBean(TestInstance.class).stepped.runNext();
            assertThat(call).isCompleted();
            assertThat(ran).hasSize(1);
        });
    }

    @Test
    void callsOfAllExecutorsRunOneInEachStep() {
        steppedContexts.run(context -> {
            Service service = context.getBean(Service.class);
            SteppedExecutor stepped = context.getBean(TestInstance.class).stepped;
            CompletableFuture<String> first = service.book("alice", "first");
            CompletableFuture<String> second = service.book("alice", "second");
            service.audit("alice");
            CompletableFuture<String> transfer = service.transfer("alice", "bob");
            assertThat(ran).isEmpty();
            assertThat(stepped.pending()).isEqualTo(2);

            assertThat(stepped.runNext()).isTrue();
            assertThat(first).isCompleted();
            assertThat(second).isNotDone();
            assertThat(ran).containsExactly("first of alice");

            assertThat(stepped.runAll()).isEqualTo(3);
            assertThat(transfer).isCompleted();
            assertThat(ran).containsExactly("first of alice", "audit of alice", "second of alice", "alice to bob");
        });
    }

    /** A shutdown would wait for it, until its time is over. */
    @Test
    void whatIsLeftRunsWhenTheContextIsClosed() {
        steppedContexts.run(context -> {
            context.getBean(Service.class).book("alice", "left");
            assertThat(ran).isEmpty();
        });
        assertThat(ran).containsExactly("left of alice");
    }

    @Test
    void releasedItMakesCallsBeforeTheyReturn() {
        steppedContexts.run(context -> {
            context.getBean(TestInstance.class).stepped.release();
            assertThat(context.getBean(Service.class).book("alice", "first")).isCompleted();
        });
    }

    /** In production it would not see it, either. */
    @Test
    void aCallDoesNotSeeTheTransactionOfTheTest() {
        steppedContexts.run(context -> {
            CompletableFuture<String> call = context.getBean(Service.class).book("alice", "first");
            TransactionSynchronizationManager.setActualTransactionActive(true);
            try {
                context.getBean(TestInstance.class).stepped.runAll();
            } finally {
                TransactionSynchronizationManager.clear();
            }
            assertThat(call).isCompletedWithValueMatching(where -> where.endsWith("without a transaction"));
        });
    }

    @Test
    void theApplicationKeepsItsOwnTaskExecutor() {
        steppedContexts.run(
                context -> assertThat(context).hasSingleBean(Executor.class).hasBean("applicationTaskExecutor"));
    }

    @Test
    void withoutItExecutorsHaveTheirThreads() {
        contexts.run(context -> assertThat(
                        context.getBean(Service.class).book("alice", "first").get())
                .startsWith("ordered-executor-"));
    }

    /** Stands for the instance of a test class. */
    static class TestInstance {
        @Autowired
        SteppedExecutor stepped;
    }

    static class Service {
        private final List<String> ran;

        Service(List<String> ran) {
            this.ran = ran;
        }

        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> book(String client, String what) {
            ran.add(what + " of " + client);
            return CompletableFuture.completedFuture(Thread.currentThread().getName()
                    + (TransactionSynchronizationManager.isActualTransactionActive() ? " in a" : " without a")
                    + " transaction");
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
