package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedExecutorBuilder;
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
final class ExecutorFactory {
    private static final int DEFAULT_TURN_TASKS = 64;
    private static final Duration DEFAULT_TURN_TIME = Duration.ofMillis(1);

    private final OrderedExecutorProperties properties;
    private final ObjectProvider<StripedExecutorCustomizer> stripedCustomizers;
    private final ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers;
    private final ListableBeanFactory beanFactory;
    private final Environment environment;

    ExecutorFactory(
            ObjectProvider<StripedExecutorCustomizer> stripedCustomizers,
            ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        // the registrar has read them too, but not in AOT mode
        this.properties = PropertiesReader.read(environment);
        this.stripedCustomizers = stripedCustomizers;
        this.groupedCustomizers = groupedCustomizers;
        this.beanFactory = beanFactory;
        this.environment = environment;
        for (ExecutorKind kind : ExecutorKind.values()) {
            for (String name : kind.of(properties).keySet()) {
                if (!beanFactory.containsBean(name)) {
                    throw new PropertyFailures(environment).nameWithoutBean(kind, name);
                }
            }
        }
    }

    /** The name of the method that builds executors of a kind, for bean definitions. */
    static String methodFor(ExecutorKind kind) {
        return kind == ExecutorKind.STRIPED ? "createStriped" : "createGrouped";
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    StripedExecutor createStriped(String name) {
        Settings settings = properties.settingsOf(ExecutorKind.STRIPED, name);
        StripedExecutorBuilder builder = StripedExecutor.builder();
        apply(ExecutorKind.STRIPED, name, settings, builder);
        if (Boolean.TRUE.equals(settings.identityStripes())) {
            builder.identityStripes();
        }
        stripedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    GroupedExecutor createGrouped(String name) {
        GroupedExecutorBuilder builder = GroupedExecutor.builder();
        apply(ExecutorKind.GROUPED, name, properties.settingsOf(ExecutorKind.GROUPED, name), builder);
        groupedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    private void apply(ExecutorKind kind, String name, Settings settings, OrderedExecutorBuilder<?> builder) {
        builder.name(name);
        applyTurn(settings.turn(), builder);
        String executor = settings.executor();
        Integer threads = settings.threads();
        if (executor != null) {
            builder.executor(executorBean(kind, name, executor));
        } else if (threads != null) {
            builder.threads(threads);
        } else if (Threading.VIRTUAL.isActive(environment)) {
            SimpleAsyncTaskExecutor virtual = new SimpleAsyncTaskExecutor(name + "-");
            virtual.setVirtualThreads(true);
            builder.executor(virtual);
        }
    }

    private static void applyTurn(Turn turn, OrderedExecutorBuilder<?> builder) {
        Integer tasks = turn.tasks();
        Duration time = turn.time();
        if (tasks != null || time != null) {
            builder.turn(tasks == null ? DEFAULT_TURN_TASKS : tasks, time == null ? DEFAULT_TURN_TIME : time);
        }
    }

    private Executor executorBean(ExecutorKind kind, String name, String executor) {
        if (!isExecutor(executor)) {
            TreeSet<String> known = new TreeSet<>();
            for (String candidate : beanFactory.getBeanNamesForType(Executor.class, true, false)) {
                known.add(candidate);
            }
            Settings own = kind.of(properties).get(name);
            boolean isOwn = own != null && own.executor() != null;
            String prefix = isOwn ? kind.prefixOf(name) : OrderedExecutorProperties.PREFIX + ".defaults";
            throw new PropertyFailures(environment)
                    .wrong(
                            prefix + ".executor",
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
