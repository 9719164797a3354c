package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Journal;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * How much more a call of an {@code @OrderedAsync} method costs than one of an {@code @Async} method: a reading, taken
 * on demand, for docs/performance.md. The methods do nothing but count. Once on an executor that runs tasks on the
 * caller's thread, where CPU time is the cost of a call and nothing else, and once on a pool of one thread each, where
 * it is that of all threads together; samples of the two take turns.
 */
@EnabledIfSystemProperty(named = "call-cost", matches = "\\d+", disabledReason = "takes a minute or more")
@Timeout(900)
class CallCostTest {
    private static final int CALLS = 400_000;
    private static final int WARM_UP = 4;
    private static final int STRIPES = 1_000;
    private static final String[] KEYS = new String[STRIPES];

    static {
        for (int i = 0; i < STRIPES; i++) {
            KEYS[i] = "client " + i;
        }
    }

    /** One call of one of the methods; its future, or null. */
    private interface Call {
        @Nullable
        CompletableFuture<String> of(String client);
    }

    @Test
    void isAtMostAMicrosecondMore() {
        int rounds = Integer.getInteger("call-cost");
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                .withUserConfiguration(Methods.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    List<Double> more = new ArrayList<>();
                    more.add(reading(
                            rounds,
                            "void, on the caller's thread",
                            client -> none(() -> service.async(client)),
                            client -> none(() -> service.ordered(client))));
                    more.add(reading(
                            rounds, "a future, on the caller's thread", service::asyncFuture, service::orderedFuture));
                    more.add(reading(
                            rounds,
                            "void, on a pool of one thread",
                            client -> none(() -> service.asyncOnPool(client)),
                            client -> none(() -> service.orderedOnPool(client))));
                    more.add(reading(
                            rounds,
                            "a future, on a pool of one thread",
                            service::asyncFutureOnPool,
                            service::orderedFutureOnPool));
                    more.add(reading(
                            rounds,
                            "void, on the caller's thread, by a property of the argument",
                            client -> none(() -> service.async(new Client(client))),
                            client -> none(() -> service.ordered(new Client(client)))));
                    assertThat(more).allSatisfy(nanos -> assertThat(nanos).isLessThanOrEqualTo(1000));
                });
    }

    private static @Nullable CompletableFuture<String> none(Runnable call) {
        call.run();
        return null;
    }

    private static double reading(int rounds, String what, Call async, Call ordered) {
        List<Double> ofAsync = new ArrayList<>();
        List<Double> ofOrdered = new ArrayList<>();
        for (int i = -WARM_UP; i < rounds; i++) {
            double first = nanosOfCall(i % 2 == 0 ? async : ordered);
            double second = nanosOfCall(i % 2 == 0 ? ordered : async);
            if (i >= 0) {
                ofAsync.add(i % 2 == 0 ? first : second);
                ofOrdered.add(i % 2 == 0 ? second : first);
            }
        }
        double more = median(ofOrdered) - median(ofAsync);
        System.out.printf(
                "CPU time of a call, %s, medians of %d samples of %d calls: @Async %.0f ns, @OrderedAsync %.0f "
                        + "ns, so %.0f ns more%n",
                what, rounds, CALLS, median(ofAsync), median(ofOrdered), more);
        return more;
    }

    /** CPU time of this process, in which nothing else is at work. */
    private static double nanosOfCall(Call call) {
        com.sun.management.OperatingSystemMXBean process =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Service.reset();
        List<CompletableFuture<String>> futures = new ArrayList<>(CALLS);
        long start = process.getProcessCpuTime();
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<String> future = call.of(KEYS[i % STRIPES]);
            if (future != null) {
                futures.add(future);
            }
        }
        Journal.await(Service.all);
        futures.forEach(CompletableFuture::join);
        double nanos = (double) (process.getProcessCpuTime() - start) / CALLS;
        assertThat(Service.MADE).hasValue(CALLS);
        return nanos;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class Methods {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Executor direct() {
            return Runnable::run;
        }

        @Bean
        ThreadPoolTaskExecutor pool() {
            ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
            pool.setCorePoolSize(1);
            return pool;
        }

        @Bean
        StripedExecutor directStriped() {
            return StripedExecutor.builder().executor(Runnable::run).build();
        }

        @Bean
        StripedExecutor pooledStriped() {
            return StripedExecutor.builder().threads(1).build();
        }
    }

    /** What an argument is more often than a string. */
    public record Client(String name) {}

    static class Service {
        private static final AtomicInteger MADE = new AtomicInteger();
        private static volatile CountDownLatch all = new CountDownLatch(1);

        /** To be called before each sample. */
        static void reset() {
            MADE.set(0);
            all = new CountDownLatch(1);
        }

        private static void count() {
            if (MADE.incrementAndGet() == CALLS) {
                all.countDown();
            }
        }

        @Async("direct")
        public CompletableFuture<String> asyncFuture(String client) {
            count();
            return CompletableFuture.completedFuture(client);
        }

        @OrderedAsync(stripe = "#client", executor = "directStriped")
        public CompletableFuture<String> orderedFuture(String client) {
            count();
            return CompletableFuture.completedFuture(client);
        }

        @Async("pool")
        public CompletableFuture<String> asyncFutureOnPool(String client) {
            count();
            return CompletableFuture.completedFuture(client);
        }

        @OrderedAsync(stripe = "#client", executor = "pooledStriped")
        public CompletableFuture<String> orderedFutureOnPool(String client) {
            count();
            return CompletableFuture.completedFuture(client);
        }

        @Async("direct")
        public void async(Client client) {
            count();
        }

        @OrderedAsync(stripe = "#client.name", executor = "directStriped")
        public void ordered(Client client) {
            count();
        }

        @Async("direct")
        public void async(String client) {
            count();
        }

        @OrderedAsync(stripe = "#client", executor = "directStriped")
        public void ordered(String client) {
            count();
        }

        @Async("pool")
        public void asyncOnPool(String client) {
            count();
        }

        @OrderedAsync(stripe = "#client", executor = "pooledStriped")
        public void orderedOnPool(String client) {
            count();
        }
    }
}
