package io.orderedexecutor.kafka.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.SerialExecutor;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The recipe of {@code docs/kafka.md} for brokers that acknowledge single messages. */
class SingleAcknowledgementsTest {
    /** What such a broker gives. */
    interface Delivery {
        String key();

        void acknowledge();

        void reject();
    }

    /** The recipe. */
    static final class OrderedConsumer implements AutoCloseable {
        private final Function<Delivery, CompletionStage<Void>> handler;

        OrderedConsumer(Function<Delivery, CompletionStage<Void>> handler) {
            this.handler = handler;
        }

        private final StripedExecutor executor = StripedExecutor.builder()
                .threads(8)
                .failurePolicy(FailurePolicy.retry(5, Duration.ofMillis(100)).thenProceed())
                .build();
        private final SerialExecutor acknowledgements = new SerialExecutor(ForkJoinPool.commonPool());

        CompletableFuture<Void> onDelivery(Delivery delivery) {
            return executor.submitAsync(delivery.key(), () -> handler.apply(delivery))
                    .whenCompleteAsync(
                            (done, failure) -> {
                                if (failure == null) {
                                    delivery.acknowledge();
                                } else {
                                    delivery.reject();
                                }
                            },
                            acknowledgements);
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    private final List<String> settled = new ArrayList<>();
    private final Deque<CompletableFuture<Void>> work = new ArrayDeque<>();
    private final List<String> handled = new ArrayList<>();
    private final OrderedConsumer consumer = new OrderedConsumer(this::handle);

    private synchronized CompletionStage<Void> handle(Delivery delivery) {
        handled.add(delivery.toString());
        CompletableFuture<Void> next = delivery.key().equals("a") ? work.poll() : null;
        return next == null ? CompletableFuture.completedFuture(null) : next;
    }

    @AfterEach
    void close() {
        consumer.close();
    }

    /** Written by one thread after another: the serial executor's. */
    private record Message(String key, int number, List<String> settled) implements Delivery {
        @Override
        public void acknowledge() {
            settled.add("ack " + number);
        }

        @Override
        public void reject() {
            settled.add("reject " + number);
        }

        @Override
        public String toString() {
            return key + number;
        }
    }

    private CompletableFuture<Void> deliver(String key, int number) {
        return consumer.onDelivery(new Message(key, number, settled));
    }

    @Test
    void inOrderOfTheKeyAndAcknowledgedWhenDone() throws Exception {
        CompletableFuture<Void> first = new CompletableFuture<>();
        work.add(first);
        CompletableFuture<Void> one = deliver("a", 1);
        CompletableFuture<Void> two = deliver("a", 2);
        deliver("b", 3).get(30, TimeUnit.SECONDS);
        assertThatThrownBy(() -> two.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(settled).containsExactly("ack 3");
        first.complete(null);
        CompletableFuture.allOf(one, two).get(30, TimeUnit.SECONDS);
        assertThat(settled).containsExactly("ack 3", "ack 1", "ack 2");
        assertThat(handled.indexOf("a1")).isLessThan(handled.indexOf("a2"));
    }

    @Test
    void retriedInItsPlaceAndRejectedAfterTheLastAttempt() {
        for (int i = 0; i < 5; i++) {
            work.add(CompletableFuture.failedFuture(new IllegalStateException("broken")));
        }
        CompletableFuture<Void> one = deliver("a", 1);
        CompletableFuture<Void> two = deliver("a", 2);
        assertThatThrownBy(() -> one.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("broken");
        two.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(handled).containsExactly("a1", "a1", "a1", "a1", "a1", "a2");
        assertThat(settled).containsExactly("reject 1", "ack 2");
    }
}
