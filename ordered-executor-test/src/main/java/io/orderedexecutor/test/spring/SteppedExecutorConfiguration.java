package io.orderedexecutor.test.spring;

import io.orderedexecutor.test.SteppedExecutor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Lets a test run the tasks of all auto-configured ordered executors by hand, whatever threads and turns are
 * configured. Import this configuration in the test:
 *
 * <pre>{@code
 * @SpringBootTest
 * @Import(SteppedExecutorConfiguration.class)
 * class OrdersTest {
 *     @Autowired Orders orders; // has @OrderedAsync methods
 *     @Autowired SteppedExecutor stepped;
 *
 *     @Test
 *     void books() {
 *         orders.book("alice", 1);
 *         stepped.runAll();
 *         ...
 *     }
 * }
 * }</pre>
 *
 * <p>All executors of the context share one {@link SteppedExecutor}, which can be injected. It is not a bean: a bean of
 * type {@link java.util.concurrent.Executor} would replace Spring Boot's {@code applicationTaskExecutor}. Executors
 * that the application builds itself keep their threads.
 */
@Configuration(proxyBeanMethods = false)
public class SteppedExecutorConfiguration {

    /** Creates a configuration. */
    public SteppedExecutorConfiguration() {}

    @Bean
    static SteppedThreads steppedOrderedExecutorThreads() {
        return new SteppedThreads(new SteppedExecutor(), true);
    }

    @Bean
    static SteppedExecutorInjection steppedExecutorInjection() {
        return new SteppedExecutorInjection();
    }
}
