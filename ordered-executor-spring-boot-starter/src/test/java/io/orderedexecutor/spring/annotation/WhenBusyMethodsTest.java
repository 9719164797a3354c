package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskRefusedException;
import io.orderedexecutor.spring.annotation.OrderedAsync.Mode;
import io.orderedexecutor.spring.autoconfigure.Meters;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What calls of annotated methods do if their stripe is busy. */
class WhenBusyMethodsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    LifecycleAutoConfiguration.class, // timeout-per-shutdown-phase
                    Meters.AUTO_CONFIGURATION,
                    MetricsAutoConfiguration.class,
                    AopAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withUserConfiguration(Beans.class);

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Chat chat() {
            return new Chat();
        }

        @Bean
        Chat other() {
            return new Chat();
        }
    }

    static class Chat {
        final Queue<Object> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        final CountDownLatch slowStarted = new CountDownLatch(1);
        volatile @Nullable Chat self;
        volatile Wait waitsBy = Wait.JOIN;
        volatile CompletableFuture<Object> stage = new CompletableFuture<>();

        @OrderedAsync(stripe = "#session")
        public void hold(String session, CountDownLatch until) throws InterruptedException {
            started.countDown();
            until.await(30, TimeUnit.SECONDS);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.COLLECT, maxBatch = "${max:4}", linger = "0ms")
        public CompletableFuture<List<String>> turn(String session, List<String> messages, boolean loud) {
            ran.add(List.copyOf(messages));
            if (messages.contains("fail")) {
                throw new IllegalStateException("on purpose");
            }
            List<String> replies = messages.stream()
                    .map(message -> "re: " + (loud ? message.toUpperCase(Locale.ROOT) : message))
                    .toList();
            return CompletableFuture.completedFuture(messages.contains("short") ? List.of() : replies);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.COLLECT)
        public void note(String session, List<String> messages) {
            ran.add(List.copyOf(messages));
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.COLLECT)
        public CompletableFuture<List<Object>> slow(String session, List<String> messages) {
            ran.add(List.copyOf(messages));
            slowStarted.countDown();
            return stage.thenApply(each -> List.copyOf(messages));
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.COLLECT)
        public CompletableFuture<Void> waits(String session, List<String> messages) throws Exception {
            Chat proxy = self;
            if (proxy != null) {
                waitsBy.apply(proxy.waits(session, List.of("behind")));
            }
            return CompletableFuture.completedFuture(null);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.LATEST)
        public CompletableFuture<Integer> latest(String session, int number) {
            ran.add(number);
            return CompletableFuture.completedFuture(number);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.INTERRUPT)
        public CompletableFuture<Integer> answer(String session, int number, CountDownLatch mayEnd) {
            if (number == 1) {
                started.countDown();
                try {
                    new CountDownLatch(1).await(30, TimeUnit.SECONDS);
                } catch (InterruptedException expected) {
                    interrupted.countDown();
                    try {
                        mayEnd.await(30, TimeUnit.SECONDS);
                    } catch (InterruptedException again) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
            ran.add(number);
            return CompletableFuture.completedFuture(number);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.INTERRUPT)
        public CompletableFuture<Integer> stream(String session, int number, CompletableFuture<Integer> result) {
            ran.add(number);
            started.countDown();
            return result;
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.REFUSE)
        public CompletableFuture<Integer> check(String session) {
            return CompletableFuture.completedFuture(1);
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.REFUSE)
        public void checkQuietly(String session) {}
    }

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        contexts.run(test);
    }

    private static CountDownLatch held(Chat chat) throws InterruptedException {
        CountDownLatch until = new CountDownLatch(1);
        chat.hold("a", until);
        return until;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private static Chat target(Chat proxy) {
        return (Chat) org.springframework.test.util.AopTestUtils.getTargetObject(proxy);
    }

    @Test
    void waitingCallsBecomeOneAndEachCallerGetsItsPart() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            CountDownLatch until = held(chat);
            CompletableFuture<List<String>> one = chat.turn("a", List.of("1"), false);
            List<String> mine = new ArrayList<>(List.of("2", "3"));
            CompletableFuture<List<String>> two = chat.turn("a", mine, false);
            mine.clear();
            CompletableFuture<List<String>> tooMany = chat.turn("a", List.of("4", "5"), false);
            CompletableFuture<List<String>> loud = chat.turn("a", List.of("x"), true);
            CompletableFuture<List<String>> ofOtherBean =
                    context.getBean("other", Chat.class).turn("a", List.of("other"), true);
            CompletableFuture<List<String>> gone = chat.turn("a", List.of("gone"), true);
            CompletableFuture<List<String>> last = chat.turn("a", List.of("last"), true);
            assertThat(gone.cancel(true)).isTrue();
            until.countDown();
            assertThat(get(one)).containsExactly("re: 1");
            assertThat(get(two)).containsExactly("re: 2", "re: 3");
            assertThat(get(tooMany)).containsExactly("re: 4", "re: 5");
            assertThat(get(loud)).containsExactly("re: X");
            assertThat(get(ofOtherBean)).containsExactly("re: OTHER");
            assertThat(get(last)).containsExactly("re: LAST");
            assertThat(target(chat).ran)
                    .containsExactly(List.of("1", "2", "3"), List.of("4", "5"), List.of("x"), List.of("last"));
            assertThat(context.getBean(StripedExecutor.class)
                            .inspect()
                            .whenBusyStats()
                            .batches())
                    .isEqualTo(5);
        });
    }

    @Test
    void itWorksUnchangedWithoutAProxy() throws Exception {
        assertThat(get(new Chat().turn("a", List.of("1", "2"), false))).containsExactly("re: 1", "re: 2");
    }

    @Test
    void wrongListsAreTheCallersMistake() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> chat.turn("a", List.of(), false))
                    .withMessageContaining("turn(String, List, boolean) is empty");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> chat.turn("a", null, false))
                    .withMessageContaining("is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> chat.turn("a", List.of("1", "2", "3", "4", "5"), false))
                    .withMessageContaining(
                            "has 5 elements, but maxBatch is 4, and the list of a caller is never split");
            assertThat(target(chat).ran).isEmpty();
        });
    }

    @Test
    void aFailureConcernsAllCallersAndSoDoesAResultOfAnotherSize() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            CountDownLatch until = held(chat);
            CompletableFuture<List<String>> one = chat.turn("a", List.of("1"), false);
            CompletableFuture<List<String>> two = chat.turn("a", List.of("fail"), false);
            CompletableFuture<List<String>> three = chat.turn("a", List.of("short", "3"), true);
            until.countDown();
            assertThatThrownBy(() -> get(one)).hasRootCauseMessage("on purpose");
            assertThatThrownBy(() -> get(two)).hasRootCauseMessage("on purpose");
            assertThatThrownBy(() -> get(three))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("returned 0 results for 2 elements; return a list with one result for each");
        });
    }

    @Test
    void aRunningCallIsCancelledWhenAllCallersHaveCancelled() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            Chat target = target(chat);
            CountDownLatch until = held(chat);
            CompletableFuture<List<Object>> one = chat.slow("a", List.of("1"));
            CompletableFuture<List<Object>> two = chat.slow("a", List.of("2"));
            CompletableFuture<Integer> behind = chat.latest("a", 7);
            until.countDown();
            assertThat(target.slowStarted.await(30, TimeUnit.SECONDS)).isTrue();
            one.cancel(true);
            assertThat(behind).isNotDone();
            two.cancel(true);
            assertThat(get(behind)).isEqualTo(7);
            assertThat(target.ran).containsExactly(List.of("1", "2"), 7);
        });
    }

    /** How a call waits for another one. */
    enum Wait {
        JOIN {
            @Override
            void apply(CompletableFuture<?> future) {
                future.join();
            }
        },
        GET {
            @Override
            void apply(CompletableFuture<?> future) throws Exception {
                future.get();
            }
        },
        GET_WITH_LIMIT {
            @Override
            void apply(CompletableFuture<?> future) throws Exception {
                future.get(1, TimeUnit.DAYS);
            }
        };

        abstract void apply(CompletableFuture<?> future) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatWaitsForOneBehindItGetsAnExceptionAndNotAHang(Wait waitsBy) {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            target(chat).waitsBy = waitsBy;
            target(chat).self = chat;
            assertThatThrownBy(() -> get(chat.waits("a", List.of("1")))).hasCauseInstanceOf(SelfWaitException.class);
            target(chat).self = null;
        });
    }

    @Test
    void theLatestReplacesTheWaitingCallOfItsMethodAndBean() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            CountDownLatch until = held(chat);
            CompletableFuture<Integer> one = chat.latest("a", 1);
            CompletableFuture<Integer> two = chat.latest("a", 2);
            CompletableFuture<Integer> ofOther =
                    context.getBean("other", Chat.class).latest("a", 3);
            assertThat(one).isCancelled();
            until.countDown();
            assertThat(get(two)).isEqualTo(2);
            assertThat(get(ofOther)).isEqualTo(3);
            assertThat(target(chat).ran).containsExactly(2);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("ordered.executor.replaced")
                            .tag("name", "ordered-executor")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void anInterruptingCallInterruptsAndStartsAfterTheOldOneHasEnded() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            Chat target = target(chat);
            CountDownLatch mayEnd = new CountDownLatch(1);
            CompletableFuture<Integer> old = chat.answer("a", 1, mayEnd);
            assertThat(target.started.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Integer> next = chat.answer("a", 2, mayEnd);
            assertThat(target.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(next).isNotDone();
            mayEnd.countDown();
            assertThat(get(next)).isEqualTo(2);
            assertThat(old).as("it has a result all the same").isCompletedWithValue(1);
            assertThat(target.ran).containsExactly(1, 2);
        });
    }

    @Test
    void anInterruptingCallCancelsTheStageAndWaitsForItAlsoWhereCallsAreObserved() {
        contexts.withUserConfiguration(Observed.class).run(this::assertStageIsCancelled);
        contexts.run(this::assertStageIsCancelled);
    }

    private void assertStageIsCancelled(AssertableApplicationContext context) throws Exception {
        Chat chat = context.getBean("chat", Chat.class);
        Chat target = target(chat);
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<Integer> stubborn = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                cancelled.countDown();
                return false;
            }
        };
        chat.stream("a", 1, stubborn);
        assertThat(target.started.await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Integer> next = chat.stream("a", 2, CompletableFuture.completedFuture(2));
        assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(next).isNotDone();
        assertThat(target.ran).containsExactly(1);
        stubborn.complete(1);
        assertThat(get(next)).isEqualTo(2);
    }

    @Configuration(proxyBeanMethods = false)
    static class Observed {
        @Bean
        OrderedAsyncObserver observer() {
            return (call, name, type) -> new OrderedAsyncObserver.WatchedCall() {
                @Override
                public OrderedAsyncObserver.WatchedRun started() {
                    return new OrderedAsyncObserver.WatchedRun() {
                        @Override
                        public void returned() {}

                        @Override
                        public void ended(@Nullable Throwable failure) {}
                    };
                }

                @Override
                public void failed(Throwable reason) {}
            };
        }
    }

    @Test
    void aSkippedCallFailsAtOnceAndOneOfAVoidMethodReturns() {
        run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            CountDownLatch until = held(chat);
            assertThatThrownBy(() -> chat.check("a").join()).isInstanceOf(TaskRefusedException.class);
            chat.checkQuietly("a");
            until.countDown();
            assertThat(context.getBean(StripedExecutor.class)
                            .inspect()
                            .whenBusyStats()
                            .refused())
                    .isEqualTo(2);
            assertThat(get(chat.check("b"))).isEqualTo(1);
        });
    }

    @Test
    void whatWaitsToBeJoinedIsHandedOverAsCallsAtAShutdown() {
        List<Runnable> unfinished = new ArrayList<>();
        contexts.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1ms")
                .withBean(UnfinishedTasksHandler.class, () -> (name, tasks) -> unfinished.addAll(tasks))
                .run(context -> {
                    Chat chat = context.getBean("chat", Chat.class);
                    held(chat);
                    assertThat(target(chat).started.await(30, TimeUnit.SECONDS)).isTrue();
                    chat.note("a", List.of("1"));
                    chat.note("a", List.of("2"));
                });
        assertThat(unfinished)
                .hasSize(2)
                .allSatisfy(task -> assertThat(task).isInstanceOf(OrderedAsyncCall.class))
                .extracting(task -> ((OrderedAsyncCall) task).arguments())
                .containsExactly(List.of("a", List.of("1")), List.of("a", List.of("2")));
    }

    @Test
    void batchesAreMeasured() {
        contexts.withPropertyValues("ordered-executor.metrics.task-timers=true").run(context -> {
            Chat chat = context.getBean("chat", Chat.class);
            CountDownLatch until = held(chat);
            chat.note("a", List.of("1"));
            chat.note("a", List.of("2", "3"));
            CompletableFuture<Integer> end = chat.latest("a", 1);
            until.countDown();
            get(end);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("ordered.executor.batch.size")
                            .tag("name", "ordered-executor")
                            .summary()
                            .max())
                    .isEqualTo(2);
            assertThat(meters.get("ordered.executor.batches").functionCounter().count())
                    .isEqualTo(1);
            assertThat(meters.get("ordered.executor.batched").functionCounter().count())
                    .isEqualTo(2);
        });
    }

    // what is refused at start

    static class InGroups {
        @OrderedAsync(groups = "#p0", whenBusy = Mode.LATEST)
        public void call(String one) {}
    }

    static class AsBarrier {
        @OrderedAsync(barrier = true, whenBusy = Mode.COLLECT)
        public void call(List<String> items) {}
    }

    static class WithoutList {
        @OrderedAsync(stripe = "#p0", whenBusy = Mode.COLLECT)
        public void call(String one) {}
    }

    static class WithTwoLists {
        @OrderedAsync(stripe = "'all'", whenBusy = Mode.COLLECT)
        public void call(List<String> one, List<String> two) {}
    }

    static class WithOneResult {
        @OrderedAsync(stripe = "'all'", whenBusy = Mode.COLLECT)
        public CompletableFuture<String> call(List<String> one) {
            return CompletableFuture.completedFuture("");
        }
    }

    static class MaxBatchAlone {
        @OrderedAsync(stripe = "#p0", maxBatch = "3", linger = "1s")
        public void call(String one) {}
    }

    static class WrongMaxBatch {
        @OrderedAsync(stripe = "'all'", whenBusy = Mode.COLLECT, maxBatch = "${max.of.it:none}")
        public void call(List<String> one) {}
    }

    static class WrongLinger {
        @OrderedAsync(stripe = "'all'", whenBusy = Mode.COLLECT, linger = "soon")
        public void call(List<String> one) {}
    }

    private void assertRefused(Class<?> bean, String message, String fix) {
        contexts.withBean("refused", bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOfSatisfying(InvalidOrderedAsyncException.class, refusal -> {
                            assertThat(refusal).hasMessageContaining(message);
                            assertThat(refusal.fix()).contains(fix);
                        }));
    }

    @Test
    void whatCannotBeIsRefusedAtStartWithTheFix() {
        assertRefused(
                InGroups.class,
                "has whenBusy = LATEST together with groups, but only a call with a stripe",
                "Remove whenBusy, or give it a stripe in place of groups.");
        assertRefused(AsBarrier.class, "has whenBusy = COLLECT together with barrier", "Remove whenBusy");
        assertRefused(
                WithoutList.class,
                "has whenBusy = COLLECT, but no parameter of type java.util.List",
                "Let it have exactly one");
        assertRefused(WithTwoLists.class, "but 2 parameters of type java.util.List", "Let it have exactly one");
        assertRefused(
                WithOneResult.class,
                "returns java.util.concurrent.CompletableFuture<java.lang.String>, which cannot be divided",
                "Return void, CompletableFuture<Void>, or CompletableFuture<List<R>>");
        assertRefused(
                MaxBatchAlone.class,
                "sets maxBatch and linger without whenBusy = COLLECT",
                "Set whenBusy = COLLECT, or remove maxBatch and linger.");
        assertRefused(
                WrongMaxBatch.class,
                "has maxBatch = \"${max.of.it:none}\", which is 'none'",
                "Set it to a number from 1 to 1,000,000.");
        assertRefused(WrongLinger.class, "has linger = \"soon\"", "Set it to a duration such as 20ms or 1s");
    }
}
