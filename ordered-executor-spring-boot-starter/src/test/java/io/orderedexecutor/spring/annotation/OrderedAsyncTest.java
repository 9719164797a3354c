package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Journal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Calls of annotated methods: which stripe, which executor, what the caller gets. */
class OrderedAsyncTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withBean(Journal.class)
            .withUserConfiguration(Beans.class)
            .withPropertyValues("ordered-executor.threads=2");

    @Test
    void callsOfOneStripeRunInOrderAndDoNotHoldTheCaller() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            Journal journal = context.getBean(Journal.class);
            CountDownLatch open = new CountDownLatch(1);
            service.await("a", open); // the caller is not held, or the test hangs
            for (int i = 0; i < 1000; i++) {
                service.write("a", i);
                service.write("b", i);
            }
            journal.await("b", 1000);
            open.countDown();
            journal.await("a", 1000);
            journal.assertInOrder("a", 1000);
            journal.assertInOrder("b", 1000);
            journal.assertStripes("a", "b");
        });
    }

    @Test
    void tasksRunOnTheExecutorThatTheAnnotationNames() {
        contexts.withPropertyValues("ordered-executor.striped.payments.threads=1", "which=payments")
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    assertThat(service.threadOfDefault("a").get()).startsWith("ordered-executor-");
                    assertThat(service.threadOfPayments("a").get()).startsWith("payments-");
                });
    }

    @Test
    void stripesArePropertiesPositionsBeansAndConstants() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            Journal journal = context.getBean(Journal.class);
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            service.byProperty(new Order("a", 0)).join();
            service.byProperty(new Order("a", 1)).join();
            service.byPosition("a", 2).join();
            service.byBean("a", 3).join();
            journal.assertInOrder("a", 4);
            service.observed("a", () -> executor.inspect().snapshot("a").isPresent())
                    .join();
            assertThat(service.observed(
                                    "a", () -> executor.inspect().snapshot("a").isPresent())
                            .join())
                    .isTrue();
            assertThat(service.observedConstant(
                                    () -> executor.inspect().snapshot("all").isPresent())
                            .join())
                    .isTrue();
            assertThat(service.observedByBean(
                                    "a",
                                    () -> executor.inspect()
                                            .snapshot("tenant of a")
                                            .isPresent())
                            .join())
                    .isTrue();
        });
    }

    @Test
    void theStripeIsHeldUntilTheReturnedStageIsComplete() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            Journal journal = context.getBean(Journal.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> first = service.returning("a", stage);
            CompletionStage<String> second = service.returningStage("a", CompletableFuture.completedFuture("two"));
            Future<String> third = service.returningFuture("a", CompletableFuture.completedFuture("three"));
            service.write("other", 0);
            journal.await("other", 1);
            assertThat(first).isNotDone();
            assertThat(second.toCompletableFuture()).isNotDone();
            assertThat(third.isDone()).isFalse();
            stage.complete("one");
            assertThat(first.get()).isEqualTo("one");
            assertThat(second.toCompletableFuture().get()).isEqualTo("two");
            assertThat(third.get()).isEqualTo("three");
        });
    }

    @Test
    void failuresReachTheCallersFutureAndTheStripeGoesOn() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            IllegalStateException failure = new IllegalStateException("expected");
            assertThatThrownBy(service.throwing("a", failure)::get).hasCause(failure);
            assertThatThrownBy(service.throwing("a", new AssertionError("expected"))::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(AssertionError.class);
            assertThatThrownBy(service.returning("a", CompletableFuture.failedFuture(failure))::get)
                    .hasCause(failure);
            assertThatThrownBy(service.returning("a", null)::get)
                    .cause()
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("Service.returning(")
                    .hasMessageContaining("returned null instead of a future");
            assertThat(service.returning("a", CompletableFuture.completedFuture("next"))
                            .get())
                    .isEqualTo("next");
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().failed())
                    .isEqualTo(4);
        });
    }

    @Test
    void aTaskThatWaitsForItsOwnStripeIsToldWhichMethodItWaitsFor() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<Object> outer =
                    service.waiting("a", () -> service.writeAsync("a", 0).join());
            assertThatThrownBy(outer::get)
                    .cause()
                    .hasMessageContaining("task " + Service.class.getName() + ".writeAsync(String, int) of key a");
        });
    }

    @Test
    void aCallThatReturnsTheFutureOfACallBehindItIsToldToo() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            assertThatThrownBy(service.passingOn("a", () -> service.writeAsync("a", 0))::get)
                    .cause()
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("task " + Service.class.getName() + ".writeAsync(String, int) of key a");
        });
    }

    @Test
    void plainFuturesHaveToBeDoneSinceNoThreadWaitsForThem() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            FutureTask<String> done = new FutureTask<>(() -> "done");
            done.run();
            assertThat(service.returningFuture("a", done).get()).isEqualTo("done");

            IllegalStateException failure = new IllegalStateException("expected");
            FutureTask<String> failed = new FutureTask<>(() -> {
                throw failure;
            });
            failed.run();
            assertThatThrownBy(service.returningFuture("a", failed)::get).hasCause(failure);

            FutureTask<String> cancelled = new FutureTask<>(() -> "never");
            cancelled.cancel(false);
            assertThatThrownBy(service.returningFuture("a", cancelled)::get).isInstanceOf(CancellationException.class);

            assertThatThrownBy(service.returningFuture("a", new FutureTask<>(() -> "never"))::get)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Service.returningFuture(")
                    .hasMessageContaining("declare and return CompletableFuture");
        });
    }

    @Test
    void aCancelledCallThatHasNotStartedNeverRuns() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            Journal journal = context.getBean(Journal.class);
            CountDownLatch open = new CountDownLatch(1);
            service.await("a", open);
            CompletableFuture<Void> cancelled = service.writeAsync("a", 99);
            assertThat(cancelled.cancel(false)).isTrue();
            service.write("a", 0);
            open.countDown();
            journal.await("a", 1);
            journal.assertInOrder("a", 1);
        });
    }

    @Test
    void aCancelledStageLetsTheStripeGoOn() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CountDownLatch inside = new CountDownLatch(1);
            CompletableFuture<String> cancelled = service.returningLater("a", stage, inside, new CountDownLatch(0));
            Journal.await(inside);
            Future<String> next = service.returningFuture("a", CompletableFuture.completedFuture("next"));
            cancelled.cancel(false);
            assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo("next");
            assertThat(stage).as("the stage of the method").isCancelled();
        });
    }

    @Test
    void aCancellationReachesAStageThatIsReturnedLater() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch open = new CountDownLatch(1);
            CompletableFuture<String> cancelled = service.returningLater("a", stage, inside, open);
            Journal.await(inside);
            cancelled.cancel(false);
            assertThat(stage).isNotDone();
            open.countDown();
            assertThat(service.returningFuture("a", CompletableFuture.completedFuture("next"))
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo("next");
            assertThat(stage).isCancelled();
        });
    }

    @Test
    void anotherEndOfTheCallersFutureLeavesTheStageAlone() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> copied = new CompletableFuture<>();
            CountDownLatch inside = new CountDownLatch(2);
            CompletableFuture<String> timedOut = service.returningLater("a", stage, inside, new CountDownLatch(0));
            CompletableFuture<String> cancelled =
                    service.returningLater("b", copied.copy(), inside, new CountDownLatch(0));
            Journal.await(inside);
            timedOut.completeExceptionally(new TimeoutException("of the caller"));
            cancelled.cancel(false);
            for (String stripe : List.of("a", "b")) {
                assertThat(service.returningFuture(stripe, CompletableFuture.completedFuture("next"))
                                .get(30, TimeUnit.SECONDS))
                        .isEqualTo("next");
            }
            assertThat(stage).isNotDone();
            assertThat(copied).isNotDone();
        });
    }

    @Test
    void aNullStripeIsTheCallersFailure() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            assertThatThrownBy(() -> service.write(null, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("\"#clientId\"")
                    .hasMessageContaining("Service.write(String, int)")
                    .hasMessageContaining("is null");
            assertThatThrownBy(() -> service.byProperty(null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("\"#order.customerId\"")
                    .hasMessageContaining("Service.byProperty(")
                    .hasMessageContaining("could not be evaluated, as #order is null");
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().completed())
                    .isZero();
        });
    }

    @Test
    void aShutDownExecutorRejectsTheCaller() {
        contexts.run(context -> {
            context.getBean(StripedExecutor.class).shutdown();
            Service service = context.getBean(Service.class);
            assertThatThrownBy(() -> service.write("a", 0)).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> service.writeAsync("a", 0)).isInstanceOf(RejectedExecutionException.class);
        });
    }

    @Test
    void aCallAfterTheEndOfTheContextIsRejected() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            service.writeAsync("a", 0).join();
            context.close();
            assertThatThrownBy(() -> service.write("a", 1)).isInstanceOf(RejectedExecutionException.class);
        });
    }

    @Test
    void aCallWithinTheSameObjectIsAPlainCall() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            service.writeToItself("a", 0);
            context.getBean(Journal.class).assertInOrder("a", 1);
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().completed())
                    .isZero();
        });
    }

    @Test
    void classProxiesAreTheDefaultOfSpringBoot() {
        contexts.run(context -> assertThat(AopUtils.isCglibProxy(context.getBean(Service.class)))
                .isTrue());
    }

    @Test
    void dependentActionsSeeTheFailureOfAStageUnwrapped() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            IllegalStateException failure = new IllegalStateException("expected");
            CompletableFuture<String> failing = CompletableFuture.completedFuture("x")
                    .thenApply(x -> {
                        throw failure;
                    });
            List<Throwable> seen = new ArrayList<>();
            service.returning("a", failing)
                    .exceptionally(t -> {
                        seen.add(t);
                        return "";
                    })
                    .get();
            assertThat(seen).singleElement().isInstanceOf(CompletionException.class);
            assertThat(seen.get(0)).hasCause(failure);
        });
    }

    record Order(String customerId, int number) {}

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Service service(Journal journal) {
            return new Service(journal);
        }

        @Bean
        Tenants tenants() {
            return new Tenants();
        }
    }

    static class Tenants {
        public String of(String clientId) {
            return "tenant of " + clientId;
        }
    }

    static class Service {
        private final Journal journal;

        Service(Journal journal) {
            this.journal = journal;
        }

        @OrderedAsync(stripe = "#clientId")
        public void await(String clientId, CountDownLatch latch) {
            Journal.await(latch);
        }

        @OrderedAsync(stripe = "#clientId")
        public void write(String clientId, int number) {
            journal.write(clientId, number);
        }

        public void writeToItself(String clientId, int number) {
            write(clientId, number);
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Void> writeAsync(String clientId, int number) {
            journal.write(clientId, number);
            return CompletableFuture.completedFuture(null);
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Object> waiting(String clientId, Supplier<Object> inner) {
            return CompletableFuture.completedFuture(inner.get());
        }

        @OrderedAsync(stripe = "#order.customerId")
        public CompletableFuture<Void> byProperty(Order order) {
            journal.write(order.customerId(), order.number());
            return CompletableFuture.completedFuture(null);
        }

        @OrderedAsync(stripe = "#p0 + #a1")
        public CompletableFuture<Void> byPosition(String clientId, int number) {
            journal.write(clientId, number);
            return CompletableFuture.completedFuture(null);
        }

        @OrderedAsync(stripe = "@tenants.of(#clientId)")
        public CompletableFuture<Void> byBean(String clientId, int number) {
            journal.write(clientId, number);
            return CompletableFuture.completedFuture(null);
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Boolean> observed(String clientId, java.util.function.Supplier<Boolean> look) {
            return CompletableFuture.completedFuture(look.get());
        }

        @OrderedAsync(stripe = "@tenants.of(#clientId)")
        public CompletableFuture<Boolean> observedByBean(String clientId, java.util.function.Supplier<Boolean> look) {
            return CompletableFuture.completedFuture(look.get());
        }

        @OrderedAsync(stripe = "'all'")
        public CompletableFuture<Boolean> observedConstant(java.util.function.Supplier<Boolean> look) {
            return CompletableFuture.completedFuture(look.get());
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> threadOfDefault(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(stripe = "#clientId", executor = "${which:stripedExecutor}")
        public CompletableFuture<String> threadOfPayments(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> returning(String clientId, CompletableFuture<String> stage) {
            return stage;
        }

        @OrderedAsync(stripe = "#clientId")
        public <T> CompletableFuture<T> passingOn(String clientId, Supplier<CompletableFuture<T>> call) {
            return call.get();
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> returningLater(
                String clientId, CompletableFuture<String> stage, CountDownLatch inside, CountDownLatch open) {
            inside.countDown();
            Journal.await(open);
            return stage;
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletionStage<String> returningStage(String clientId, CompletableFuture<String> stage) {
            return stage;
        }

        @OrderedAsync(stripe = "#clientId")
        public Future<String> returningFuture(String clientId, Future<String> future) {
            return future;
        }

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> throwing(String clientId, Throwable failure) throws Exception {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        }
    }
}
