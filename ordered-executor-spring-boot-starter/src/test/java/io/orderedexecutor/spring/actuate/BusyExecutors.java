package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupPath;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.Journal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Executors in the middle of their work: {@code orders} has tasks that run, on a thread and without one, and some that
 * wait; {@code transfers} the same with groups; {@code parked} and {@code parkedGroups} have stopped at a failure. What
 * runs does so until the application ends.
 */
@Configuration(proxyBeanMethods = false)
class BusyExecutors {
    static final TaskListener LISTENER = new TaskListener() {};

    /** A key of an application, with a text that is not the key. */
    record Customer(int number) {
        @Override
        public String toString() {
            return "customer " + number;
        }
    }

    static final class BadKey {
        @Override
        public String toString() {
            throw new IllegalStateException("expected");
        }
    }

    private final CompletableFuture<String> held = new CompletableFuture<>();
    private final CountDownLatch end = new CountDownLatch(1);

    /** Lets all that runs end before the executors are drained. */
    @Bean
    SmartLifecycle release() {
        return new SmartLifecycle() {
            @Override
            public void start() {}

            @Override
            public void stop() {
                held.complete("");
                end.countDown();
            }

            @Override
            public boolean isRunning() {
                return end.getCount() > 0;
            }
        };
    }

    @Bean
    StripedExecutor orders() {
        StripedExecutor orders = StripedExecutor.builder()
                .name("orders")
                .threads(2)
                .turn(5, Duration.ofMillis(2))
                .capacity(1000)
                .stripeCapacity(100)
                .overflow(Overflow.block(Duration.ofSeconds(3)))
                .failurePolicy(FailurePolicy.retry(3, Duration.ofSeconds(1)).thenProceed())
                .listener(LISTENER)
                .build();
        orders.submit("alice", () -> null).join();
        CountDownLatch started = new CountDownLatch(1);
        orders.execute("alice", new HeldTask(started, end));
        Journal.await(started);
        CountDownLatch startedToo = new CountDownLatch(1);
        BadKey bad = new BadKey();
        orders.submitAsync(bad, () -> {
            startedToo.countDown();
            return held;
        });
        orders.execute("alice", () -> {});
        orders.execute("alice", () -> {});
        orders.execute(bad, () -> {});
        Journal.await(startedToo);
        orders.pause(new Customer(7));
        return orders;
    }

    private record HeldTask(CountDownLatch started, CountDownLatch end) implements Runnable {
        @Override
        public void run() {
            started.countDown();
            Journal.await(end);
        }

        @Override
        public String toString() {
            return "a held task";
        }
    }

    @Bean
    GroupedExecutor transfers() {
        GroupedExecutor transfers =
                GroupedExecutor.builder().name("transfers").threads(2).build();
        transfers.submit(Groups.exclusive("alice"), () -> null).join();
        CountDownLatch started = new CountDownLatch(1);
        transfers.submitAsync(Groups.exclusive("alice", GroupPath.of("bank", "bob")), () -> {
            started.countDown();
            return held;
        });
        transfers.execute(Groups.exclusive("alice", "carol"), () -> {});
        transfers.execute(Groups.shared("alice"), () -> {});
        Journal.await(started);
        return transfers;
    }

    @Bean
    OrderedOutputExecutor films() {
        OrderedOutputExecutor films = OrderedOutputExecutor.builder()
                .name("films")
                .threads(1)
                .window(4)
                .build();
        OrderedOutput<String> film =
                films.<String>outputTo(picture -> {}).name("film 1").open();
        CountDownLatch started = new CountDownLatch(2);
        film.submitAsync(() -> {
            started.countDown();
            return held;
        });
        film.submit(() -> {
            started.countDown();
            return "";
        });
        Journal.await(started);
        return films;
    }

    @Bean
    StripedExecutor parked() throws InterruptedException {
        StripedExecutor parked = StripedExecutor.builder()
                .name("parked")
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build();
        parked.execute("alice", () -> {
            throw new IllegalStateException("the account of alice is closed");
        });
        parked.execute("alice", () -> {});
        parked.execute("bob", () -> {});
        assertThat(parked.awaitIdle("bob", Duration.ofSeconds(30))).isTrue();
        return parked;
    }

    @Bean
    GroupedExecutor parkedGroups() throws InterruptedException {
        GroupedExecutor parked = GroupedExecutor.builder()
                .name("parkedGroups")
                .threads(1)
                .failurePolicy(FailurePolicy.park())
                .build();
        parked.execute(Groups.exclusive("alice").andShared("bob"), () -> {
            throw new IllegalStateException("the account of alice is closed");
        });
        parked.execute(Groups.exclusive("carol"), () -> {});
        assertThat(parked.awaitIdle("carol", Duration.ofSeconds(30))).isTrue();
        return parked;
    }
}
