package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.HeardTasks.Kind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A future that the application completes before its task has run: a {@link TaskListener} hears of the end that
 * statistics count, and nothing of the task runs.
 */
@Timeout(60)
class EarlyCompletionTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final HeardTasks heard = new HeardTasks();
    private final List<String> ran = new ArrayList<>();

    private final StripedExecutor striped = builder().build();
    private final GroupedExecutor grouped =
            GroupedExecutor.builder().executor(steps).listener(heard).build();
    private final OrderedOutputExecutor outputs =
            OrderedOutputExecutor.builder().executor(steps).listener(heard).build();
    private final OrderedOutput<String> output =
            outputs.<String>outputTo(written -> ran.add("written")).open();

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder().executor(steps).platform(timer).listener(heard);
    }

    /** How a future is done before its task has run, and what that counts as. */
    enum How {
        COMPLETED(Kind.FINISHED) {
            @Override
            boolean end(CompletableFuture<?> future) {
                return future.complete(null);
            }
        },
        FAILED(Kind.FAILED) {
            @Override
            boolean end(CompletableFuture<?> future) {
                return future.completeExceptionally(new ThrownOnPurpose());
            }
        },
        CANCELLED(Kind.CANCELLED) {
            @Override
            boolean end(CompletableFuture<?> future) {
                return future.cancel(false);
            }
        },
        FAILED_AS_CANCELLED(Kind.CANCELLED) {
            @Override
            boolean end(CompletableFuture<?> future) {
                return future.completeExceptionally(new CancellationException());
            }
        };

        final Kind kind;

        How(Kind kind) {
            this.kind = kind;
        }

        abstract boolean end(CompletableFuture<?> future);

        /** What statistics count when this has come to one task, and others have completed. */
        OrderedExecutorStats stats(int others) {
            return new OrderedExecutorStats(
                    0,
                    0,
                    0,
                    0,
                    0,
                    others + (kind == Kind.FINISHED ? 1 : 0),
                    kind == Kind.FAILED ? 1 : 0,
                    kind == Kind.CANCELLED ? 1 : 0,
                    0);
        }
    }

    /** Where a task waits. */
    enum Where {
        STRIPE {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.striped.submit("a", task);
            }
        },
        SERIAL {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return (CompletableFuture<?>) test.striped.asExecutorService().submit(new OfStripe(task));
            }
        },
        SLOT {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.striped.with(WhenBusy.latest("slot")).submit("a", task);
            }
        },
        RESERVATION {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.striped.reserve("a").submit(task);
            }
        },
        GROUPS {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.grouped.submit(Groups.exclusive("a", "b").andShared("c"), task);
            }
        },
        STRIPE_OF_GROUPS {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.grouped.stripes().submit("a", task);
            }
        },
        BARRIER {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.grouped.submit(Groups.all(), task);
            }
        },
        OUTPUT {
            @Override
            CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task) {
                return test.output.submit(task);
            }
        };

        abstract CompletableFuture<?> submit(EarlyCompletionTest test, Callable<String> task);

        OrderedExecutor executor(EarlyCompletionTest test) {
            return switch (this) {
                case STRIPE, SERIAL, SLOT, RESERVATION -> test.striped;
                case GROUPS, STRIPE_OF_GROUPS, BARRIER -> test.grouped;
                case OUTPUT -> test.outputs;
            };
        }
    }

    private record OfStripe(Callable<String> task) implements StripedCallable<String> {
        @Override
        public Object getStripe() {
            return "a";
        }

        @Override
        public String call() throws Exception {
            return task.call();
        }
    }

    static List<Arguments> everywhere() {
        List<Arguments> all = new ArrayList<>();
        for (Where where : Where.values()) {
            for (How how : How.values()) {
                all.add(Arguments.of(where, how));
            }
        }
        return all;
    }

    private Callable<String> named(String name) {
        return () -> {
            ran.add(name);
            return name;
        };
    }

    /** The one task that was heard of with this end. */
    private void theOne(How how, Object task) {
        HeardTasks.Event end = heard.only(how.kind, task);
        if (how == How.FAILED) {
            assertThat(end.failure()).isInstanceOf(ThrownOnPurpose.class);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    @DisplayName("in the queue, behind another one: the end is told at once, and the run took no time")
    void whileItIsQueued(Where where, How how) {
        Callable<String> first = named("first");
        Callable<String> second = named("second");
        CompletableFuture<?> ofFirst = where.submit(this, first);
        // a task of the same slot would replace it
        CompletableFuture<?> ofSecond = (where == Where.SLOT ? Where.STRIPE : where).submit(this, second);
        assertThat(how.end(ofFirst)).isTrue();
        HeardTasks.Event end = heard.all().get(2);
        assertThat(end.kind()).isEqualTo(how.kind);
        assertThat(end.nanos()).isEqualTo(how.kind == Kind.CANCELLED ? -1 : 0);
        if (where != Where.SERIAL) {
            assertThat(heard.kindsOf(first)).containsExactly(Kind.QUEUED, how.kind);
            theOne(how, first);
        }
        steps.runAll();
        assertThat(ofSecond.join()).isEqualTo("second");
        assertThat(ran).filteredOn(name -> !name.equals("written")).containsExactly("second");
        assertThat(heard.all())
                .extracting(HeardTasks.Event::kind)
                .containsExactly(Kind.QUEUED, Kind.QUEUED, how.kind, Kind.STARTED, Kind.FINISHED);
        assertThat(where.executor(this).inspect().stats()).isEqualTo(how.stats(1));
    }

    @ParameterizedTest
    @EnumSource(How.class)
    @DisplayName("an item of a batch that has not started")
    void anItem(How how) {
        Batcher<String, String> batcher = striped.<String, String>batchTo((stripe, items) -> ran.addAll(items))
                .build();
        List<CompletableFuture<?>> futures = List.of(batcher.submit("a", "1"), batcher.submit("a", "2"));
        assertThat(how.end(futures.get(0))).isTrue();
        assertThat(heard.kindsOf("1")).containsExactly(Kind.QUEUED, how.kind);
        theOne(how, "1");
        steps.runAll();
        assertThat(ran).containsExactly("2");
        assertThat(striped.inspect().stats()).isEqualTo(how.stats(1));
    }

    @ParameterizedTest
    @EnumSource(How.class)
    @DisplayName("an item of a batch that runs, fails then, and is retried without it")
    void anItemOfABatchThatFails(How how) {
        StripedExecutor executor = builder()
                .failurePolicy(FailurePolicy.retry().maxRetries(1).thenProceed())
                .build();
        List<CompletableFuture<?>> futures = new ArrayList<>();
        List<List<String>> batches = new ArrayList<>();
        Batcher<String, String> batcher = executor.<String, String>batchTo((stripe, items) -> {
                    batches.add(List.copyOf(items));
                    if (batches.size() == 1) {
                        how.end(futures.get(0));
                        throw new IllegalStateException("of the task");
                    }
                })
                .build();
        futures.add(batcher.submit("a", "1"));
        futures.add(batcher.submit("a", "2"));
        steps.runAll();
        timer.fire();
        steps.runAll();
        assertThat(batches).containsExactly(List.of("1", "2"), List.of("2"));
        assertThat(heard.kindsOf("1")).containsExactly(Kind.QUEUED, Kind.STARTED, how.kind);
        theOne(how, "1");
        assertThat(executor.inspect().stats()).isEqualTo(how.stats(1));
    }

    @ParameterizedTest
    @EnumSource(How.class)
    @DisplayName("while it waits for its retry, and while its stripe is parked")
    void whileItWaitsForItsRetry(How how) {
        for (FailurePolicy policy : List.of(FailurePolicy.retry().thenProceed(), FailurePolicy.park())) {
            StripedExecutor executor = builder().failurePolicy(policy).build();
            ran.clear();
            Callable<String> failing = () -> {
                ran.add("failing");
                throw new IllegalStateException("of the task");
            };
            CompletableFuture<String> future = executor.submit("a", failing);
            steps.runAll();
            assertThat(how.end(future)).isTrue();
            assertThat(heard.kindsOf(failing))
                    .containsExactly(Kind.QUEUED, Kind.STARTED, policy.parks() ? Kind.PARKED : Kind.RETRIED, how.kind);
            theOne(how, failing);
            timer.fire();
            steps.runAll();
            assertThat(ran).containsExactly("failing");
            assertThat(executor.inspect().stats()).isEqualTo(how.stats(0));
        }
    }

    @ParameterizedTest
    @EnumSource(How.class)
    @DisplayName("an asynchronous task, before it starts")
    void anAsynchronousTask(How how) {
        Supplier<CompletionStage<String>> task = () -> CompletableFuture.completedFuture("never");
        CompletableFuture<String> future = striped.submitAsync("a", task);
        assertThat(how.end(future)).isTrue();
        steps.runAll();
        assertThat(heard.kindsOf(task)).containsExactly(Kind.QUEUED, how.kind);
        theOne(how, task);
        assertThat(striped.inspect().stats()).isEqualTo(how.stats(0));
    }

    /** Ways in which somebody else comes by after a future is done, and before its task has left its place. */
    enum Meanwhile {
        STARTED {
            @Override
            void happen(EarlyCompletionTest test, StripedExecutor executor) {
                test.steps.runAll();
            }
        },
        REPLACED {
            @Override
            void happen(EarlyCompletionTest test, StripedExecutor executor) {
                executor.with(WhenBusy.latest("slot")).execute("a", () -> test.ran.add("later"));
            }
        },
        DROPPED {
            @Override
            void happen(EarlyCompletionTest test, StripedExecutor executor) {
                executor.with(Overflow.discardOldest()).execute("a", () -> test.ran.add("later"));
            }
        },
        SHUT_DOWN {
            @Override
            void happen(EarlyCompletionTest test, StripedExecutor executor) {
                assertThat(executor.shutdownNow()).isEmpty();
            }
        };

        abstract void happen(EarlyCompletionTest test, StripedExecutor executor);
    }

    static List<Arguments> meanwhiles() {
        List<Arguments> all = new ArrayList<>();
        for (Meanwhile meanwhile : Meanwhile.values()) {
            for (How how : List.of(How.COMPLETED, How.FAILED)) {
                all.add(Arguments.of(meanwhile, how));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("meanwhiles")
    @DisplayName("a dependent action finds the task in its place, and somebody else ends it: it was not cancelled")
    void aDependentActionIsFirst(Meanwhile meanwhile, How how) {
        StripedExecutor executor = builder().keyCapacity(1).build();
        Callable<String> task = named("never");
        CompletableFuture<String> future =
                executor.with(WhenBusy.latest("slot")).submit("a", task);
        var unused = future.whenComplete((result, failure) -> meanwhile.happen(this, executor));
        assertThat(how.end(future)).isTrue();
        steps.runAll();
        assertThat(heard.kindsOf(task)).containsExactly(Kind.QUEUED, how.kind);
        theOne(how, task);
        boolean hasLater = meanwhile == Meanwhile.REPLACED || meanwhile == Meanwhile.DROPPED;
        assertThat(ran).isEqualTo(hasLater ? List.of("later") : List.of());
        assertThat(executor.inspect().stats()).isEqualTo(how.stats(hasLater ? 1 : 0));
        assertThat(executor.inspect().whenBusyStats().replaced()).isZero();
        heard.assertOneEndEach(meanwhile + ", " + how);
    }

    @Test
    @DisplayName("tasks behind a parked one, when the executor is shut down: each as its future has ended")
    void behindAParkedTask() {
        StripedExecutor executor = builder().failurePolicy(FailurePolicy.park()).build();
        Callable<String> failing = () -> {
            throw new ThrownOnPurpose();
        };
        Callable<String> behind = named("behind");
        var unused = executor.submit("a", failing);
        CompletableFuture<String> future = executor.submit("a", behind);
        unused = future.whenComplete((result, failure) -> executor.shutdown());
        steps.runAll();
        assertThat(future.complete("early")).isTrue();
        steps.runAll();
        assertThat(heard.kindsOf(behind)).containsExactly(Kind.QUEUED, Kind.FINISHED);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 1, 0, 0));
        assertThat(ran).isEmpty();
    }
}
