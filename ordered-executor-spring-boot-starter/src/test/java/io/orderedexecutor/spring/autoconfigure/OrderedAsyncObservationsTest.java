package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.spring.annotation.OrderedAsyncObserver;
import io.orderedexecutor.spring.observation.DefaultOrderedAsyncObservationConvention;
import io.orderedexecutor.spring.observation.OrderedAsyncObservation;
import io.orderedexecutor.spring.observation.OrderedAsyncObservationContext;
import io.orderedexecutor.spring.observation.OrderedAsyncObservationConvention;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskDecorator;

/** What is observed of calls, and when anything is. */
@ExtendWith(OutputCaptureExtension.class)
class OrderedAsyncObservationsTest {
    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedAsyncObservationAutoConfiguration.class,
                    OrderedExecutorMetricsAutoConfiguration.class))
            .withBean(Accounts.class)
            .withBean(ObservationRegistry.class, () -> registry);
    private final ApplicationContextRunner observed =
            contexts.withPropertyValues("ordered-executor.observations.enabled=true");

    @Test
    void aCallIsObservedWhileItIsQueuedAndWhileItRuns() {
        observed.run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            Accounts accounts = context.getBean(Accounts.class);
            Observation request = Observation.start("request", registry);
            executor.control().pause();
            CompletableFuture<String> call;
            try (Observation.Scope scope = request.openScope()) {
                assertThat(scope).isNotNull();
                call = accounts.read("alice", registry);
            }
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStarted()
                    .isNotStopped()
                    .hasParentObservationEqualTo(request)
                    .hasLowCardinalityKeyValue("name", "ordered-executor")
                    .hasLowCardinalityKeyValue("type", "grouped")
                    .hasLowCardinalityKeyValue("method", "Accounts.read")
                    .doesNotHaveHighCardinalityKeyValueWithKey("stripe");
            check().doesNotHaveAnyRemainingCurrentObservation();
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.run", 0);
            executor.control().resume();
            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("ordered.async.run");
            executor.close();
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStopped()
                    .hasContextualNameEqualTo("Accounts.read queued")
                    .doesNotHaveError();
            check().hasObservationWithNameEqualTo("ordered.async.run")
                    .that()
                    .hasBeenStarted()
                    .hasBeenStopped()
                    .doesNotHaveError()
                    .hasParentObservationEqualTo(request)
                    .hasContextualNameEqualTo("Accounts.read run")
                    .hasLowCardinalityKeyValue("method", "Accounts.read");
            request.stop();
        });
    }

    @Test
    void aRunIsObservedUntilItsStageIsComplete() {
        observed.run(context -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            CompletableFuture<String> call = context.getBean(Accounts.class).wait("alice", stage);
            await().untilAsserted(() -> check().hasObservationWithNameEqualTo("ordered.async.run")
                    .that()
                    .hasBeenStarted()
                    .isNotStopped());
            stage.completeExceptionally(new IllegalStateException("expected"));
            assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("expected");
            context.getBean(StripedExecutor.class).close();
            check().hasObservationWithNameEqualTo("ordered.async.run")
                    .that()
                    .hasBeenStopped()
                    .assertThatError()
                    .isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void aFailureIsTheErrorOfTheRun() {
        observed.run(context -> {
            context.getBean(Accounts.class).fail("alice");
            context.getBean(StripedExecutor.class).close();
            check().hasObservationWithNameEqualTo("ordered.async.run")
                    .that()
                    .hasBeenStopped()
                    .assertThatError()
                    .hasMessage("of the method");
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStopped()
                    .doesNotHaveError();
        });
    }

    @Test
    void aCallThatNeverStartsIsAnErrorOfTheQueue() {
        observed.run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            Accounts accounts = context.getBean(Accounts.class);
            executor.control().pause();
            CompletableFuture<String> cancelled = accounts.read("alice", registry);
            assertThat(cancelled.cancel(false)).isTrue();
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStopped()
                    .assertThatError()
                    .isInstanceOf(java.util.concurrent.CancellationException.class);
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.run", 0);
            registry.clear();
            assertThat(accounts.read("alice", registry).complete("from a cache"))
                    .isTrue();
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStopped()
                    .assertThatError()
                    .isInstanceOf(java.util.concurrent.CancellationException.class);
            executor.shutdown();
            registry.clear();
            assertThatThrownBy(() -> accounts.read("alice", registry)).isInstanceOf(RejectedExecutionException.class);
            check().hasObservationWithNameEqualTo("ordered.async.queued")
                    .that()
                    .hasBeenStopped()
                    .assertThatError()
                    .isInstanceOf(RejectedExecutionException.class);
        });
    }

    @Test
    void aCallThatADecoratorRefusesLeavesNothingBehind() {
        TaskDecorator refusing = task -> {
            throw new IllegalStateException("of the decorator");
        };
        observed.withBean(TaskDecorator.class, () -> refusing).run(context -> {
            assertThatThrownBy(() -> context.getBean(Accounts.class).read("alice", registry))
                    .hasMessage("of the decorator");
            check().doesNotHaveAnyObservation();
        });
    }

    @Test
    void theApplicationsConventionNamesWhatItSupports() {
        OrderedAsyncObservationConvention own =
                new DefaultOrderedAsyncObservationConvention(OrderedAsyncObservation.RUN) {
                    @Override
                    public String getName() {
                        return "account.run";
                    }

                    @Override
                    public KeyValues getHighCardinalityKeyValues(OrderedAsyncObservationContext context) {
                        return KeyValues.of(
                                "account",
                                String.valueOf(context.call().arguments().get(0)));
                    }
                };
        observed.withBean(OrderedAsyncObservationConvention.class, () -> own).run(context -> {
            context.getBean(Accounts.class).read("alice", registry).get(30, TimeUnit.SECONDS);
            context.getBean(StripedExecutor.class).close();
            check().hasObservationWithNameEqualTo("account.run")
                    .that()
                    .hasBeenStopped()
                    .hasHighCardinalityKeyValue("account", "alice")
                    .hasLowCardinalityKeyValue("name", "ordered-executor");
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.queued", 1);
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.run", 0);
        });
    }

    @Test
    void aCallHasTheTimersOfItsObservationsAndThoseOfAllTasks() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        observed.withBean(MeterRegistry.class, () -> meters)
                .withPropertyValues("ordered-executor.metrics.task-timers=true")
                .run(context -> {
                    StripedExecutor executor = context.getBean(StripedExecutor.class);
                    context.getBean(Accounts.class).read("alice", registry).get(30, TimeUnit.SECONDS);
                    executor.submit("bob", () -> null).get(30, TimeUnit.SECONDS);
                    executor.close();
                    assertThat(meters.get("ordered.async.queued").timer().count())
                            .isEqualTo(1);
                    assertThat(meters.get("ordered.async.run")
                                    .tag("error", "none")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                    // of the call, and of the task that is none
                    for (String timer : new String[] {"task.queued", "task.run"}) {
                        assertThat(
                                        meters
                                                .get("ordered.executor." + timer)
                                                .tag("name", "ordered-executor")
                                                .timers()
                                                .stream()
                                                .mapToLong(Timer::count)
                                                .sum())
                                .as(timer)
                                .isEqualTo(2);
                    }
                });
    }

    @Test
    void anObserverThatFailsHoldsNothingUp() {
        contexts.withBean(OrderedAsyncObserver.class, FailingObserver::new).run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(accounts.read("alice", registry).get(30, TimeUnit.SECONDS))
                    .isEqualTo("none");
            accounts.fail("alice");
            assertThat(accounts.read("alice", registry).get(30, TimeUnit.SECONDS))
                    .isEqualTo("none");
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            executor.close();
            assertThat(executor.inspect().stats().completed()).isEqualTo(2);
            assertThat(executor.inspect().stats().failed()).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"onScopeOpened", "onScopeClosed", "onError"})
    void anObservationIsStoppedAlthoughAHandlerFails(String where, CapturedOutput output) {
        FailingHandler failing = new FailingHandler(where);
        registry.observationConfig().observationHandler(failing);
        observed.withPropertyValues("ordered-executor.threads=1").run(context -> {
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(accounts.read("alice", registry).get(30, TimeUnit.SECONDS))
                    .isEqualTo("ordered.async.run");
            assertThatThrownBy(() -> accounts.wait(
                                    "alice", CompletableFuture.failedFuture(new IllegalStateException("of the method")))
                            .get(30, TimeUnit.SECONDS))
                    .cause()
                    .hasMessage("of the method");
            CompletableFuture<@Nullable Observation> after =
                    executor.submit("alice", () -> registry.getCurrentObservation());
            assertThat(after.get(30, TimeUnit.SECONDS)).isNull();
            executor.control().pause();
            CompletableFuture<String> neverStarts = accounts.read("alice", registry);
            assertThat(neverStarts.cancel(false)).isTrue();
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.queued", 3);
            check().hasNumberOfObservationsWithNameEqualTo("ordered.async.run", 2);
            assertThat(failing.open).isEmpty();
        });
        assertThat(output).contains("The OrderedAsyncObserver failed").contains("of the handler in " + where);
    }

    @Test
    void nothingIsObservedUnlessItIsAskedFor() {
        contexts.run(context -> {
            assertThat(context).doesNotHaveBean(OrderedAsyncObserver.class);
            context.getBean(Accounts.class).read("alice", registry).get(30, TimeUnit.SECONDS);
            check().doesNotHaveAnyObservation();
        });
        contexts.withPropertyValues("ordered-executor.observations.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(OrderedAsyncObserver.class));
        observed.run(context -> assertThat(context).hasSingleBean(OrderedAsyncObservations.class));
        observed.withPropertyValues("ordered-executor.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedAsyncObserver.class));
        observed.withBean(OrderedAsyncObserver.class, FailingObserver::new)
                .run(context -> assertThat(context).doesNotHaveBean(OrderedAsyncObservations.class));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OrderedExecutorAutoConfiguration.class, OrderedAsyncObservationAutoConfiguration.class))
                .withPropertyValues("ordered-executor.observations.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedAsyncObserver.class));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OrderedExecutorAutoConfiguration.class, OrderedAsyncObservationAutoConfiguration.class))
                .withPropertyValues("ordered-executor.observations.enabled=true")
                .withClassLoader(new FilteredClassLoader(ObservationRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OrderedAsyncObserver.class));
    }

    private TestObservationRegistryAssert check() {
        return TestObservationRegistryAssert.assertThat(registry);
    }

    private static org.awaitility.core.ConditionFactory await() {
        return org.awaitility.Awaitility.await();
    }

    private static final class FailingHandler implements ObservationHandler<Observation.Context> {
        private final String where;

        /** The names of the observations that are not stopped. */
        private final Queue<String> open = new ConcurrentLinkedQueue<>();

        FailingHandler(String where) {
            this.where = where;
        }

        @Override
        public void onStart(Observation.Context context) {
            open.add(context.getName());
        }

        @Override
        public void onStop(Observation.Context context) {
            open.remove(context.getName());
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            failIn("onScopeOpened");
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            failIn("onScopeClosed");
        }

        @Override
        public void onError(Observation.Context context) {
            failIn("onError");
        }

        private void failIn(String event) {
            if (event.equals(where)) {
                throw new IllegalStateException("of the handler in " + where);
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    private static final class FailingObserver implements OrderedAsyncObserver {
        @Override
        public WatchedCall submitted(OrderedAsyncCall call, String executorName, String executorType) {
            return new WatchedCall() {
                @Override
                public WatchedRun started() {
                    return new FailingRun();
                }

                @Override
                public void failed(Throwable reason) {
                    throw new IllegalStateException("of the observer", reason);
                }
            };
        }
    }

    private static final class FailingRun implements OrderedAsyncObserver.WatchedRun {
        @Override
        public void returned() {
            throw new IllegalStateException("of the observer");
        }

        @Override
        public void ended(Throwable failure) {
            throw new IllegalStateException("of the observer", failure);
        }
    }

    static class Accounts {

        /** Returns the name of the current observation. */
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> read(String account, ObservationRegistry registry) {
            Observation current = registry.getCurrentObservation();
            return CompletableFuture.completedFuture(
                    current == null ? "none" : current.getContext().getName());
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> wait(String account, CompletableFuture<String> stage) {
            return stage;
        }

        @OrderedAsync(stripe = "#account")
        public void fail(String account) {
            throw new IllegalStateException("of the method");
        }
    }
}
