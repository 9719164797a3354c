package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a scrape costs with 300,000 keys. The bar is 0.3 s for each of ten. It is asserted of the CPU time, which says
 * about the same on a busy machine, and in the build of three times as much, in a JVM that has compiled nothing yet;
 * and it is asserted exactly how often the executors are looked at. The bar itself: {@code -Dscrape.millis=300}.
 */
@Timeout(300)
class MetersOfManyKeysTest {
    private static final int KEYS = 300_000;
    private static final int PARKED = 3;
    private static final int SCRAPES = 10;
    private static final long MOST_MILLIS = Long.getLong("scrape.millis", 1_000);

    /** Goes on by a minute before each scrape, so that none sees what another one has seen. */
    private final AtomicLong skipped = new AtomicLong();

    private final AtomicLong askedForTime = new AtomicLong();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private void bind(OrderedExecutor executor) {
        new OrderedExecutorMetrics(Map.of("orders", executor), () -> {
                    askedForTime.incrementAndGet();
                    return System.nanoTime() + skipped.get();
                })
                .bindTo(registry);
    }

    @Test
    void aScrapeOfAStripedExecutorTakesOneLook() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .capacity(2 * KEYS)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {})
                .build();
        park(executor, executor);
        for (int i = PARKED; i < KEYS; i++) {
            executor.execute("client " + i, () -> {});
        }
        assertScrapes("stripes", executor);
    }

    @Test
    void aScrapeOfAGroupedExecutorTakesOneLook() throws InterruptedException {
        GroupedExecutor executor = GroupedExecutor.builder()
                .threads(2)
                .capacity(2 * KEYS)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {})
                .build();
        park(executor, executor.stripes());
        for (int i = PARKED; i < KEYS; i++) {
            executor.execute(Groups.exclusive("client " + i), () -> {});
        }
        assertScrapes("groups", executor);
    }

    /** Some keys are parked: whoever counts them must not put all others in order for it. */
    private static void park(OrderedExecutor executor, StripedExecutor stripes) {
        for (int i = 0; i < PARKED; i++) {
            stripes.execute("client " + i, () -> {
                throw new IllegalStateException("expected");
            });
        }
        await().until(() -> executor.inspect().parkedTasks().size() == PARKED);
        executor.control().pause();
    }

    private void assertScrapes(String keys, OrderedExecutor executor) throws InterruptedException {
        bind(executor);
        List<Long> millis = new ArrayList<>();
        List<Long> cpuMillis = new ArrayList<>();
        List<Long> looks = new ArrayList<>();
        for (int i = 0; i < SCRAPES; i++) {
            skipped.addAndGet(TimeUnit.MINUTES.toNanos(1));
            askedForTime.set(0);
            long start = System.nanoTime();
            long startOfCpu = threads.getCurrentThreadCpuTime();
            int meters = scrape();
            cpuMillis.add(TimeUnit.NANOSECONDS.toMillis(threads.getCurrentThreadCpuTime() - startOfCpu));
            millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            // each meter asks how old the last look is, and each look how long it has taken
            looks.add(askedForTime.get() - meters);
        }
        System.out.printf(
                Locale.ROOT,
                "Ten scrapes with %,d %s, in ms: %s, and of CPU time: %s%n",
                KEYS,
                keys,
                millis,
                cpuMillis);
        assertThat(looks).containsOnly(1L);
        for (String figure : List.of("queued", "keys")) {
            assertThat(registry.get("ordered.executor." + figure).gauge().value())
                    .isEqualTo(KEYS);
        }
        assertThat(registry.get("ordered.executor.parked").gauge().value()).isEqualTo(PARKED);
        assertThat(cpuMillis).allSatisfy(each -> assertThat(each).isLessThan(MOST_MILLIS));
        for (int i = 0; i < PARKED; i++) {
            assertThat(executor.control().skip("client " + i)).isTrue();
        }
        executor.control().resume();
        assertThat(executor.awaitIdle(Duration.ofSeconds(60))).isTrue();
        assertThat(executor.inspect().stats().completed()).isEqualTo(KEYS - PARKED);
        executor.shutdown();
    }

    /** Reads all meters; returns how many there are. */
    private int scrape() {
        int[] meters = {0};
        registry.forEachMeter(meter -> {
            for (Measurement measurement : meter.measure()) {
                assertThat(measurement.getValue()).isNotNaN();
                meters[0]++;
            }
        });
        return meters[0];
    }
}
