package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** What the start says of a pool that an executor is to run on. */
@ExtendWith(OutputCaptureExtension.class)
class PoolsOfTheApplicationTest {
    private static final String WARNING = "Ordered executor 'orders' runs on the bean 'pool', whose CallerRunsPolicy";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withPropertyValues("ordered-executor.striped.orders.executor=pool");

    @Test
    void oneThatRunsInItsCallerIsWarnedOf(CapturedOutput output) {
        ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
        pool.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
        start(pool);
        assertThat(output)
                .containsOnlyOnce(WARNING)
                .contains("ordered-executor.striped.orders.executor")
                .contains("AbortPolicy");
    }

    @Test
    void soIsOneOfTheJdk(CapturedOutput output) {
        start(poolOfTheJdk(new ThreadPoolExecutor.CallerRunsPolicy()));
        assertThat(output).containsOnlyOnce(WARNING);
    }

    @Test
    void otherPoolsAreNot(CapturedOutput output) {
        start(new ThreadPoolTaskExecutor());
        start(poolOfTheJdk(new ThreadPoolExecutor.AbortPolicy()));
        start(Runnable::run);
        assertThat(output).doesNotContain("CallerRunsPolicy");
    }

    @Test
    void onePoolThatCannotBeAskedDoesNotStopTheStart(CapturedOutput output) {
        start(new ThreadPoolTaskExecutor() {
            @Override
            public void afterPropertiesSet() {
                // is initialized later, by the application
            }
        });
        start(new ThreadPoolTaskExecutor() {
            @Override
            public ThreadPoolExecutor getThreadPoolExecutor() {
                throw new UnsupportedOperationException("not to be asked");
            }
        });
        assertThat(output).doesNotContain("CallerRunsPolicy");
    }

    private void start(Executor pool) {
        contexts.withBean("pool", Executor.class, () -> pool)
                .run(context -> assertThat(context).hasNotFailed().hasBean("orders"));
    }

    private static ThreadPoolExecutor poolOfTheJdk(RejectedExecutionHandler policy) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), policy);
    }
}
