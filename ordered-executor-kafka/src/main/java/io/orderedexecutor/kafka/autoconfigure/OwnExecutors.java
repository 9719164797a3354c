package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.spring.autoconfigure.StripedExecutorCustomizer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;

/**
 * The executors of listeners that name no executor. They are not beans: beans that need to know all executor beans are
 * created before the listeners are known.
 */
final class OwnExecutors implements DisposableBean {
    private final ListableBeanFactory beans;
    private final Environment environment;
    private final List<StripedExecutor> executors = new CopyOnWriteArrayList<>();

    OwnExecutors(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /** Creates an executor. Its threads and its customizers are those of the executors that are beans. */
    StripedExecutor create(String name, @Nullable Integer threads) {
        StripedExecutorBuilder builder = StripedExecutor.builder().name(name);
        OrderedExecutorThreads ofAll =
                beans.getBeanProvider(OrderedExecutorThreads.class).getIfAvailable();
        if (ofAll != null) {
            ofAll.applyTo(builder, name);
        } else if (threads != null) {
            builder.threads(threads);
        } else if (Threading.VIRTUAL.isActive(environment)) {
            OrderedExecutorThreads.virtual().applyTo(builder, name);
        }
        beans.getBeanProvider(StripedExecutorCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(name, builder));
        StripedExecutor executor = builder.build();
        executors.add(executor);
        return executor;
    }

    boolean isOwn(StripedExecutor executor) {
        return executors.contains(executor);
    }

    /** Called when the containers have stopped. A record that still runs has outlasted its drain. */
    @Override
    public void destroy() {
        executors.forEach(StripedExecutor::shutdownNow);
    }
}
