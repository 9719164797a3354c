package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Settings;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Turn;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Builds executors from their properties. */
final class StripedExecutorFactory {
    private static final int DEFAULT_TURN_TASKS = 64;
    private static final Duration DEFAULT_TURN_TIME = Duration.ofMillis(1);

    private final OrderedExecutorProperties properties;
    private final ObjectProvider<StripedExecutorCustomizer> customizers;
    private final ListableBeanFactory beanFactory;
    private final Environment environment;

    StripedExecutorFactory(
            ObjectProvider<StripedExecutorCustomizer> customizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        // the registrar has read them too, but not in AOT mode
        this.properties = PropertiesReader.read(environment);
        this.customizers = customizers;
        this.beanFactory = beanFactory;
        this.environment = environment;
        for (String name : properties.striped().keySet()) {
            if (!beanFactory.containsBean(name)) {
                throw PropertiesReader.nameWithoutBean(environment, name);
            }
        }
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    StripedExecutor create(String name) {
        Settings settings = properties.settingsOf(name);
        StripedExecutorBuilder builder = StripedExecutor.builder().name(name);
        applyThreads(name, settings, builder);
        applyTurn(settings.turn(), builder);
        if (Boolean.TRUE.equals(settings.identityStripes())) {
            builder.identityStripes();
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    private void applyThreads(String name, Settings settings, StripedExecutorBuilder builder) {
        String executor = settings.executor();
        Integer threads = settings.threads();
        if (executor != null) {
            builder.executor(executorBean(name, executor));
        } else if (threads != null) {
            builder.threads(threads);
        } else if (Threading.VIRTUAL.isActive(environment)) {
            SimpleAsyncTaskExecutor virtual = new SimpleAsyncTaskExecutor(name + "-");
            virtual.setVirtualThreads(true);
            builder.executor(virtual);
        }
    }

    private static void applyTurn(Turn turn, StripedExecutorBuilder builder) {
        Integer tasks = turn.tasks();
        Duration time = turn.time();
        if (tasks != null || time != null) {
            builder.turn(tasks == null ? DEFAULT_TURN_TASKS : tasks, time == null ? DEFAULT_TURN_TIME : time);
        }
    }

    private Executor executorBean(String name, String executor) {
        if (!isExecutor(executor)) {
            TreeSet<String> known = new TreeSet<>();
            for (String candidate : beanFactory.getBeanNamesForType(Executor.class, true, false)) {
                known.add(candidate);
            }
            throw PropertiesReader.noSuchExecutor(
                    environment,
                    name,
                    "names no bean of type " + Executor.class.getName(),
                    known.isEmpty()
                            ? "Define an Executor bean of that name, or remove the property for threads of its own."
                            : "Set it to one of " + String.join(", ", known)
                                    + ", or remove it for threads of its own.");
        }
        return beanFactory.getBean(executor, Executor.class);
    }

    private boolean isExecutor(String executor) {
        try {
            return beanFactory.isTypeMatch(executor, Executor.class);
        } catch (NoSuchBeanDefinitionException e) {
            return false;
        }
    }
}
