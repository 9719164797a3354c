package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.Order;

/**
 * What happens to tasks that did not start in time. All executors run on steps, of which the test takes none before the
 * end.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class UnfinishedTasksTest {
    private static final CompletableFuture<String> PENDING = new CompletableFuture<>();

    private final Steps steps = new Steps();
    private final List<String> ran = new ArrayList<>();
    private final Map<String, List<Runnable>> unfinished = new LinkedHashMap<>();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, LifecycleAutoConfiguration.class))
            .withBean("steps", Steps.class, () -> steps)
            .withPropertyValues(
                    "ordered-executor.executor=steps",
                    "ordered-executor.grouped.transfers.executor=steps",
                    "spring.lifecycle.timeout-per-shutdown-phase=50ms");

    @Test
    void areHandedOverInTheirOrderAsTheyWereSubmitted(CapturedOutput output) {
        Runnable first = () -> ran.add("first");
        Runnable second = () -> ran.add("second");
        Runnable barrier = () -> ran.add("a barrier");
        Runnable ofGroup = () -> ran.add("of the group");
        List<Future<?>> futures = new ArrayList<>();
        contexts.withBean(UnfinishedTasksHandler.class, () -> unfinished::put).run(context -> {
            StripedExecutor striped = context.getBean(StripedExecutor.class);
            striped.execute("a", first);
            striped.execute("a", second);
            futures.add(striped.submit("a", () -> ran.add("with a result")));
            context.getBean(GroupedExecutor.class).execute(Groups.all(), barrier);
            context.getBean("transfers", GroupedExecutor.class).execute(Groups.exclusive("a"), ofGroup);
        });
        assertThat(unfinished).containsOnlyKeys("ordered-executor", "transfers");
        assertThat(unfinished.get("ordered-executor"))
                .hasSize(4)
                .startsWith(first, second)
                .endsWith(barrier);
        assertThat((Object) unfinished.get("ordered-executor").get(2)).isSameAs(futures.get(0));
        assertThat(futures.get(0).isCancelled()).isTrue();
        assertThat(unfinished.get("transfers")).containsExactly(ofGroup);
        steps.runAll();
        assertThat(ran).isEmpty();
        assertThat(output)
                .contains("Ordered executor 'ordered-executor' was stopped before it was done: 4 queued tasks did not"
                        + " run")
                .contains("3 x lambda in " + getClass().getName() + ", 1 x task with a result")
                .contains("Ordered executor 'transfers' was stopped before it was done: 1 queued task did not run");
    }

    @Test
    void callsOfAnnotatedMethodsSayWhatTheyAreAndCanBeMade(CapturedOutput output) {
        List<CompletableFuture<String>> cancelled = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        AsyncUncaughtExceptionHandler failureHandler =
                (failure, method, arguments) -> failures.add(method.getName() + " " + failure.getMessage());
        contexts.withBean(UnfinishedTasksHandler.class, () -> unfinished::put)
                .withBean(AsyncUncaughtExceptionHandler.class, () -> failureHandler)
                .withBean(Bank.class, () -> new Bank(ran))
                .run(context -> {
                    Bank bank = context.getBean(Bank.class);
                    cancelled.add(bank.book("alice", 1));
                    bank.write("alice", null);
                    cancelled.add(bank.book("alice", -1));
                    cancelled.add(bank.pending("alice"));
                });
        List<OrderedAsyncCall> calls = unfinished.get("ordered-executor").stream()
                .map(OrderedAsyncCall.class::cast)
                .toList();
        assertThat(calls)
                .extracting(call -> call.method().getName())
                .containsExactly("book", "write", "book", "pending");
        assertThat(calls.get(0).arguments()).containsExactly("alice", 1);
        assertThat(calls.get(1).arguments()).containsExactly("alice", null);
        assertThat(output)
                .contains("2 x " + Bank.class.getName() + ".book(String, int)")
                .contains("1 x " + Bank.class.getName() + ".write(String, Object)");
        assertThat(cancelled).allMatch(CompletableFuture::isCancelled);
        assertThat(ran).isEmpty();
        calls.forEach(OrderedAsyncCall::run);
        assertThat(PENDING).as("a stage of a call that is made after all").isNotDone();
        assertThat(ran).containsExactly("book alice 1", "write alice null");
        assertThat(failures).containsExactly("book negative");
    }

    @Test
    void areHandedOverBeforeAnyBeanIsDestroyed() {
        contexts.withBean(Store.class)
                .withBean("later", UnfinishedTasksHandler.class, () -> (name, tasks) -> {
                    throw new IllegalStateException("of the handler");
                })
                .run(context -> {
                    Store store = context.getBean(Store.class);
                    context.getBean(StripedExecutor.class).execute("a", () -> {});
                    context.close();
                    assertThat(store.stored).hasSize(1);
                });
    }

    @Test
    void aHandlerThatFailsIsLoggedAndKeepsNoOtherFromItsTurn(CapturedOutput output) {
        contexts.withBean("failing", Failing.class)
                .withBean(UnfinishedTasksHandler.class, () -> unfinished::put)
                .run(context -> {
                    context.getBean(StripedExecutor.class).execute("a", () -> {});
                    context.getBean("transfers", GroupedExecutor.class).execute(Groups.exclusive("a"), () -> {});
                });
        assertThat(unfinished).containsOnlyKeys("ordered-executor", "transfers");
        assertThat(output)
                .contains("An UnfinishedTasksHandler failed on 1 task of executor 'ordered-executor'")
                .contains("of the handler");
    }

    @Test
    void nobodyIsCalledIfNothingIsLeft() {
        contexts.withBean(UnfinishedTasksHandler.class, () -> unfinished::put).run(context -> {
            context.getBean(StripedExecutor.class).execute("a", () -> ran.add("done"));
            steps.runAll();
        });
        assertThat(ran).containsExactly("done");
        assertThat(unfinished).isEmpty();
    }

    @Test
    void aContextThatOnlyStopsKeepsThem() {
        contexts.withBean(UnfinishedTasksHandler.class, () -> unfinished::put).run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            executor.execute("a", () -> ran.add("after all"));
            ConfigurableApplicationContext source =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            source.stop();
            assertThat(unfinished).isEmpty();
            assertThat(executor.isShutdown()).isFalse();
            source.start();
            steps.runAll();
            assertThat(ran).containsExactly("after all");
        });
        assertThat(unfinished).isEmpty();
    }

    @Test
    void whatIsLeftInAStoppedContextIsHandedOverWhenItCloses() {
        contexts.withBean(Store.class).run(context -> {
            Store store = context.getBean(Store.class);
            ConfigurableApplicationContext source =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            source.stop();
            context.getBean(StripedExecutor.class).execute("a", () -> ran.add("never"));
            source.close();
            assertThat(store.stored).hasSize(1);
        });
        steps.runAll();
        assertThat(ran).isEmpty();
    }

    /**
     * As a repository would be: of no use once it is destroyed; which it is before the executor that it uses itself.
     */
    static class Store implements UnfinishedTasksHandler, DisposableBean {
        final List<Runnable> stored = new ArrayList<>();
        private final StripedExecutor executor;
        private boolean destroyed;

        Store(StripedExecutor executor) {
            this.executor = executor;
        }

        @Override
        public void handle(String executorName, List<Runnable> tasks) {
            if (!destroyed && executor.isShutdown()) {
                stored.addAll(tasks);
            }
        }

        @Override
        public void destroy() {
            destroyed = true;
        }
    }

    @Order(1)
    static class Failing implements UnfinishedTasksHandler {
        @Override
        public void handle(String executorName, List<Runnable> tasks) {
            throw new NoClassDefFoundError("of the handler");
        }
    }

    static class Bank {
        private final List<String> ran;

        Bank(List<String> ran) {
            this.ran = ran;
        }

        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> book(String client, int coins) {
            if (coins < 0) {
                return CompletableFuture.failedFuture(new IllegalArgumentException("negative"));
            }
            ran.add("book " + client + " " + coins);
            return CompletableFuture.completedFuture("booked");
        }

        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> pending(String client) {
            return PENDING;
        }

        @OrderedAsync(stripe = "#client")
        public void write(String client, Object what) {
            ran.add("write " + client + " " + what);
        }
    }

    @Test
    void collectedCallsHaveTheElementsOfTheirSubmission() {
        List<String> failures = new ArrayList<>();
        AsyncUncaughtExceptionHandler failureHandler =
                (failure, method, arguments) -> failures.add(failure.getMessage() + " " + List.of(arguments));
        contexts.withBean(UnfinishedTasksHandler.class, () -> unfinished::put)
                .withBean(AsyncUncaughtExceptionHandler.class, () -> failureHandler)
                .withBean(Notes.class, () -> new Notes(ran))
                .run(context -> {
                    Notes notes = context.getBean(Notes.class);
                    List<String> lines = new ArrayList<>(List.of("one", "two"));
                    notes.write("alice", lines);
                    lines.clear();
                    lines.add("three");
                    notes.send("alice", lines);
                    lines.clear();
                });
        List<OrderedAsyncCall> calls = unfinished.get("ordered-executor").stream()
                .map(OrderedAsyncCall.class::cast)
                .toList();
        assertThat(calls)
                .extracting(OrderedAsyncCall::arguments)
                .containsExactly(List.of("alice", List.of("one", "two")), List.of("alice", List.of("three")));
        calls.forEach(Runnable::run);
        assertThat(ran).containsExactly("write [one, two]", "send [three]");
        assertThat(failures).containsExactly("expected [alice, [three]]");
    }

    static class Notes {
        private final List<String> ran;

        Notes(List<String> ran) {
            this.ran = ran;
        }

        @OrderedAsync(stripe = "#key", whenBusy = OrderedAsync.Mode.COLLECT)
        public void write(String key, List<String> lines) {
            ran.add("write " + lines);
        }

        @OrderedAsync(stripe = "#key", whenBusy = OrderedAsync.Mode.COLLECT)
        public CompletableFuture<Void> send(String key, List<String> lines) {
            ran.add("send " + lines);
            return CompletableFuture.failedFuture(new IllegalStateException("expected"));
        }
    }
}
