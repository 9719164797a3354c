package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedAsync.Mode;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Calls that become one run: the trace of each caller shows the run, not that of the first caller alone. */
class CollectedCallsAreObservedTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withUserConfiguration(Beans.class);

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Chat chat() {
            return new Chat();
        }

        @Bean
        Noting noting() {
            return new Noting();
        }
    }

    static class Chat {
        @OrderedAsync(stripe = "#session")
        public void hold(String session, CountDownLatch until) throws InterruptedException {
            if (!until.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("held for too long");
            }
        }

        @OrderedAsync(stripe = "#session", whenBusy = Mode.COLLECT, maxBatch = "3")
        public CompletableFuture<List<String>> turn(String session, List<String> messages) {
            if (messages.contains("fail")) {
                throw new IllegalStateException("on purpose");
            }
            return CompletableFuture.completedFuture(messages);
        }
    }

    /** Notes what it hears of each call, by the call's list of messages. */
    static class Noting implements OrderedAsyncObserver {
        final Map<Object, Queue<String>> heard = new ConcurrentHashMap<>();

        @Override
        public WatchedCall submitted(OrderedAsyncCall call, String executorName, String executorType) {
            Object messages = call.arguments().get(1);
            Queue<String> ofCall = new ConcurrentLinkedQueue<>(List.of("submitted"));
            heard.put(messages, ofCall);
            return new WatchedCall() {
                @Override
                public WatchedRun started() {
                    ofCall.add("started");
                    return new WatchedRun() {
                        @Override
                        public void returned() {
                            ofCall.add("returned");
                        }

                        @Override
                        public void ended(@Nullable Throwable failure) {
                            ofCall.add(failure == null ? "ended" : "ended: " + failure.getMessage());
                        }
                    };
                }

                @Override
                public void failed(Throwable reason) {
                    ofCall.add("failed: " + reason.getMessage());
                }
            };
        }
    }

    @Test
    void theObserverSeesTheListAsItWasAtTheCall() {
        List<Object> seenAtStart = new CopyOnWriteArrayList<>();
        withObserver(call -> seenAtStart.add(call.arguments().get(1)), () -> {}).run(context -> {
            Chat chat = context.getBean(Chat.class);
            CountDownLatch until = new CountDownLatch(1);
            chat.hold("a", until);
            List<String> first = new ArrayList<>(List.of("1"));
            List<String> second = new ArrayList<>(List.of("2", "3"));
            CompletableFuture<List<String>> ofFirst = chat.turn("a", first);
            CompletableFuture<List<String>> ofSecond = chat.turn("a", second);
            first.clear();
            second.clear();
            until.countDown();
            assertThat(ofFirst.get(30, TimeUnit.SECONDS)).containsExactly("1");
            assertThat(ofSecond.get(30, TimeUnit.SECONDS)).containsExactly("2", "3");
            assertThat(seenAtStart).containsExactlyInAnyOrder(List.of("1"), List.of("2", "3"));
        });
    }

    @Test
    void aListThatCannotBeCopiedIsNeverObserved() {
        List<String> broken = new ArrayList<>(List.of("1")) {
            private static final long serialVersionUID = 1L;

            @Override
            public Object[] toArray() {
                throw new IllegalStateException("of the list");
            }
        };
        contexts.run(context -> {
            assertThatThrownBy(() -> context.getBean(Chat.class).turn("a", broken))
                    .hasMessage("of the list");
            assertThat(context.getBean(Noting.class).heard).isEmpty();
        });
    }

    @Test
    void anObserverThatFailsWhenAJoinedRunReturnsIsStillToldOfItsEnd() {
        Queue<String> ended = new ConcurrentLinkedQueue<>();
        withObserver(call -> {}, () -> ended.add("ended")).run(context -> {
            Chat chat = context.getBean(Chat.class);
            CountDownLatch until = new CountDownLatch(1);
            chat.hold("a", until);
            CompletableFuture<List<String>> first = chat.turn("a", List.of("1"));
            CompletableFuture<List<String>> joined = chat.turn("a", List.of("2"));
            until.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS)).containsExactly("1");
            assertThat(joined.get(30, TimeUnit.SECONDS)).containsExactly("2");
            // those of hold, first and joined
            assertThat(ended).hasSize(3);
        });
    }

    /**
     * An observer that fails whenever a run returns.
     *
     * @param atStart is told of the start of calls of {@code turn}
     */
    private static ApplicationContextRunner withObserver(Consumer<OrderedAsyncCall> atStart, Runnable atEnd) {
        OrderedAsyncObserver observer = (call, executorName, executorType) -> new OrderedAsyncObserver.WatchedCall() {
            @Override
            public OrderedAsyncObserver.WatchedRun started() {
                if (call.method().getName().equals("turn")) {
                    atStart.accept(call);
                }
                return new OrderedAsyncObserver.WatchedRun() {
                    @Override
                    public void returned() {
                        throw new IllegalStateException("of the observer");
                    }

                    @Override
                    public void ended(@Nullable Throwable failure) {
                        atEnd.run();
                    }
                };
            }

            @Override
            public void failed(Throwable reason) {}
        };
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
                .withBean(Chat.class)
                .withBean(OrderedAsyncObserver.class, () -> observer);
    }

    @Test
    void eachCallerHearsOfTheRunThatItsCallIsIn() {
        contexts.run(context -> {
            Chat chat = context.getBean(Chat.class);
            CountDownLatch until = new CountDownLatch(1);
            chat.hold("a", until);
            CompletableFuture<List<String>> first = chat.turn("a", List.of("1"));
            CompletableFuture<List<String>> second = chat.turn("a", List.of("2", "3"));
            CompletableFuture<List<String>> failing = chat.turn("a", List.of("fail"));
            CompletableFuture<List<String>> withIt = chat.turn("a", List.of("4"));
            Map<Object, Queue<String>> heard = context.getBean(Noting.class).heard;
            assertThat(heard.get(List.of("2", "3"))).containsExactly("submitted");
            until.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS)).containsExactly("1");
            assertThat(second.get(30, TimeUnit.SECONDS)).containsExactly("2", "3");
            assertThatThrownBy(() -> failing.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThatThrownBy(() -> withIt.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            for (List<String> messages : List.of(List.of("1"), List.of("2", "3"))) {
                assertThat(heard.get(messages))
                        .as("%s", messages)
                        .containsExactly("submitted", "started", "returned", "ended");
            }
            for (List<String> messages : List.of(List.of("fail"), List.of("4"))) {
                assertThat(heard.get(messages))
                        .as("%s", messages)
                        .startsWith("submitted", "started")
                        .contains("ended: on purpose")
                        .filteredOn(event -> event.startsWith("ended"))
                        .hasSize(1);
            }
        });
    }
}
