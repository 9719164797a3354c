package io.orderedexecutor.sample.questions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class ReactiveCallersTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Queue<String> booked = new ConcurrentLinkedQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final StripedExecutor executor =
            StripedExecutor.builder().threads(2).keyCapacity(1).build();

    Mono<String> book(String account, String order) {
        return Mono.fromFuture(() -> executor.submit(account, () -> write(order)));
    }

    private String write(String order) {
        booked.add(order);
        return "booked " + order;
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        executor.close();
    }

    private void occupy(String account) throws InterruptedException {
        executor.submit(account, () -> {
            started.countDown();
            return mayEnd.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        });
        assertThat(started.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void eachSubscriptionSubmitsOneTask() {
        Mono<String> booking = book("alice", "order 1");
        assertThat(executor.inspect().stats().completed()).isZero();

        assertThat(booking.block(LIMIT)).isEqualTo("booked order 1");
        assertThat(booking.block(LIMIT)).isEqualTo("booked order 1");
        assertThat(booked).containsExactly("order 1", "order 1");
    }

    @Test
    void aSubscriptionThatIsCancelledTakesItsQueuedTaskBack() throws InterruptedException {
        occupy("alice");
        Disposable subscription = book("alice", "order 1").subscribe();
        assertThat(executor.inspect().stats().queued()).isEqualTo(1);

        subscription.dispose();

        assertThat(executor.inspect().stats().queued()).isZero();
        mayEnd.countDown();
        assertThat(book("alice", "order 2").block(LIMIT)).isEqualTo("booked order 2");
        assertThat(booked).containsExactly("order 2");
    }

    @Test
    void aRejectionIsAnErrorOfTheMono() throws InterruptedException {
        occupy("alice");
        Disposable first = book("alice", "order 1").subscribe();

        Mono<String> second = book("alice", "order 2");
        assertThatThrownBy(() -> second.block(LIMIT)).isInstanceOf(RejectedExecutionException.class);

        assertThat(first.isDisposed()).isFalse();
        mayEnd.countDown();
        assertThat(book("bob", "order 3").block(LIMIT)).isEqualTo("booked order 3");
        executor.close();
        assertThat(booked).containsExactlyInAnyOrder("order 1", "order 3");
    }
}
