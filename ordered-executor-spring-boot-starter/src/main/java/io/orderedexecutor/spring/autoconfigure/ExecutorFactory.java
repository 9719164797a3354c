package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.util.ClassUtils;

/** Builds executors from their properties. */
final class ExecutorFactory {
    private static final Log logger = LogFactory.getLog(ExecutorFactory.class);

    private static final boolean CONTEXTS_ARE_PROPAGATED = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", ExecutorFactory.class.getClassLoader());

    private final PropertyMapper map = PropertyMapper.get();
    private final ConfiguredExecutors configured;
    private final ObjectProvider<TaskListener> listeners;
    private final ObjectProvider<StripedExecutorCustomizer> stripedCustomizers;
    private final ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers;
    private final ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers;
    private final ListableBeanFactory beanFactory;
    private final Environment environment;

    ExecutorFactory(
            ObjectProvider<TaskListener> listeners,
            ObjectProvider<StripedExecutorCustomizer> stripedCustomizers,
            ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers,
            ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        // the registrar has read and checked the properties already, but not in AOT mode
        this.configured = PropertiesReader.read(environment);
        this.listeners = listeners;
        this.stripedCustomizers = stripedCustomizers;
        this.groupedCustomizers = groupedCustomizers;
        this.orderedOutputCustomizers = orderedOutputCustomizers;
        this.beanFactory = beanFactory;
        this.environment = environment;
        for (ExecutorSection section : ExecutorSection.values()) {
            for (String name : configured.names(section)) {
                if (!beanFactory.containsBean(name)) {
                    throw new PropertyFailures(environment)
                            .invalid(
                                    section.prefixOf(name),
                                    "There is no bean for the executor name '" + name + "': names are fixed at build"
                                            + " time in AOT mode, and this one was not there. Build the application"
                                            + " with it, or remove it.");
                }
            }
        }
    }

    /** Returns whether an executor has properties of its own. */
    boolean isConfigured(String name) {
        return name.equals(ExecutorsByName.DEFAULT)
                ? !configured.ofDefault().equals(Settings.NONE)
                : Stream.of(ExecutorSection.values())
                        .anyMatch(section -> configured.names(section).contains(name));
    }

    /** Returns the time after which stuck tasks of an executor are logged; null if they are not logged. */
    @Nullable
    Duration warnAfter(String executorName) {
        Settings settings = executorName.equals(ExecutorsByName.DEFAULT)
                ? configured.ofDefault()
                : Stream.of(ExecutorSection.values())
                        .filter(section -> configured.names(section).contains(executorName))
                        .map(section -> configured.settingsOf(section, executorName))
                        .findFirst()
                        .orElse(Settings.NONE);
        return settings.warns() ? settings.warnAfter() : null;
    }

    /** Returns the shortest time after which stuck tasks of an executor are logged; null if none are logged. */
    @Nullable
    Duration shortestWarnAfter() {
        return settingsIn(ExecutorSection.values())
                .filter(Settings::warns)
                .map(Settings::warnAfter)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Returns whether any executor is configured to park failed tasks. */
    boolean isAnyToPark() {
        return settingsIn(ExecutorSection.STRIPED, ExecutorSection.GROUPED)
                .anyMatch(settings -> settings.failurePolicyOfTasks().parks());
    }

    /** Returns the settings of the default executor, and those of all executors in these sections. */
    private Stream<Settings> settingsIn(ExecutorSection... sections) {
        return Stream.concat(
                Stream.of(configured.ofDefault()),
                Stream.of(sections)
                        .flatMap(section ->
                                configured.names(section).stream().map(name -> configured.settingsOf(section, name))));
    }

    /** Builds the default executor, which is behind the beans {@code groupedExecutor} and {@code stripedExecutor}. */
    GroupedExecutor createDefaultExecutor() {
        return groupedBuilder(ExecutorsByName.DEFAULT, OrderedExecutorProperties.PREFIX, configured.ofDefault())
                .build();
    }

    /** Builds the executor of a bean. Bean definitions refer to this method by its name. */
    StripedExecutor createStripedExecutor(String name) {
        ExecutorSection section = ExecutorSection.STRIPED;
        return stripedBuilder(name, section.prefixOf(name), configured.settingsOf(section, name))
                .build();
    }

    /** Builds the executor of a bean. Bean definitions refer to this method by its name. */
    GroupedExecutor createGroupedExecutor(String name) {
        ExecutorSection section = ExecutorSection.GROUPED;
        return groupedBuilder(name, section.prefixOf(name), configured.settingsOf(section, name))
                .build();
    }

    /** Builds the executor of a bean. Bean definitions refer to this method by its name. */
    OrderedOutputExecutor createOrderedOutputExecutor(String name) {
        ExecutorSection section = ExecutorSection.ORDERED_OUTPUT;
        return orderedOutputBuilder(name, section.prefixOf(name), configured.settingsOf(section, name))
                .build();
    }

    /** Returns a builder for executors that the application builds itself, with the settings of the default one. */
    StripedExecutorBuilder newStripedBuilder(String name) {
        return stripedBuilder(name, OrderedExecutorProperties.PREFIX, configured.ofDefault());
    }

    /** Returns a builder for executors that the application builds itself, with the settings of the default one. */
    GroupedExecutorBuilder newGroupedBuilder(String name) {
        return groupedBuilder(name, OrderedExecutorProperties.PREFIX, configured.ofDefault());
    }

    /** Returns a builder for executors that the application builds itself, with the settings of the one for outputs. */
    OrderedOutputExecutorBuilder newOrderedOutputBuilder(String name) {
        ExecutorSection section = ExecutorSection.ORDERED_OUTPUT;
        String settings = "orderedOutputExecutor";
        return orderedOutputBuilder(name, section.prefixOf(settings), configured.settingsOf(section, settings));
    }

    private StripedExecutorBuilder stripedBuilder(String name, String prefix, Settings settings) {
        StripedExecutorBuilder builder = StripedExecutor.builder();
        applyCommon(name, prefix, settings, builder);
        map.from(settings.overflowPolicy()).to(builder::overflow);
        map.from(settings.failurePolicyOfTasks()).to(builder::failurePolicy);
        map.from(settings.keyCapacity()).to(builder::keyCapacity);
        stripedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder;
    }

    private GroupedExecutorBuilder groupedBuilder(String name, String prefix, Settings settings) {
        GroupedExecutorBuilder builder = GroupedExecutor.builder();
        applyCommon(name, prefix, settings, builder);
        map.from(settings.overflowPolicy()).to(builder::overflow);
        map.from(settings.failurePolicyOfTasks()).to(builder::failurePolicy);
        map.from(settings.keyCapacity()).to(builder::keyCapacity);
        groupedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder;
    }

    private OrderedOutputExecutorBuilder orderedOutputBuilder(String name, String prefix, Settings settings) {
        OrderedOutputExecutorBuilder builder = OrderedOutputExecutor.builder();
        applyCommon(name, prefix, settings, builder);
        map.from(settings.overflowPolicy()).to(builder::overflow);
        map.from(settings.failurePolicyOfTasks()).to(builder::failurePolicy);
        map.from(settings.window()).to(builder::window);
        map.from(settings.concurrency()).to(builder::concurrency);
        orderedOutputCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder;
    }

    private void applyCommon(String name, String prefix, Settings settings, OrderedExecutorBuilder<?> builder) {
        builder.name(name);
        map.from(settings.capacity()).to(builder::capacity);
        listeners.orderedStream().forEach(builder::listener);
        if (settings.warns()) {
            // only an executor with a listener times its tasks
            builder.listener(new TaskListener() {});
        }
        OrderedExecutorThreads threads =
                beanFactory.getBeanProvider(OrderedExecutorThreads.class).getIfAvailable();
        if (threads != null) {
            threads.applyTo(builder, name);
        } else {
            applyThreads(name, prefix, settings, builder);
        }
    }

    private void applyThreads(String name, String prefix, Settings settings, OrderedExecutorBuilder<?> builder) {
        map.from(settings.threads()).to(builder::threads);
        String executor = settings.executor();
        if (executor != null) {
            Executor bean = executorBean(prefix, executor);
            if (runsInItsCaller(bean)) {
                logger.warn("Ordered executor '" + name + "' runs on the bean '" + executor
                        + "', whose CallerRunsPolicy runs a call on the thread that makes it when the pool is full:"
                        + " before the method returns, with the security context, MDC, locks and transaction of that"
                        + " thread. If that is not meant, give the pool an AbortPolicy, or remove " + prefix
                        + ".executor for own threads.");
            }
            builder.executor(CONTEXTS_ARE_PROPAGATED ? ContextFreeHandOver.to(bean) : bean);
        } else if (settings.threads() == null && Threading.VIRTUAL.isActive(environment)) {
            OrderedExecutorThreads.virtual().applyTo(builder, name);
        }
    }

    private static boolean runsInItsCaller(Executor bean) {
        try {
            Executor pool = bean instanceof ThreadPoolTaskExecutor ofSpring ? ofSpring.getThreadPoolExecutor() : bean;
            return pool instanceof ThreadPoolExecutor ofJdk
                    && ofJdk.getRejectedExecutionHandler() instanceof ThreadPoolExecutor.CallerRunsPolicy;
        } catch (RuntimeException e) {
            // the executor is not initialized yet, or is a mock: there is no reason to warn
            return false;
        }
    }

    private Executor executorBean(String prefix, String executor) {
        if (!isExecutor(executor)) {
            List<String> known = Stream.of(beanFactory.getBeanNamesForType(Executor.class, true, false))
                    .sorted()
                    .toList();
            throw new PropertyFailures(environment)
                    .invalid(
                            prefix + ".executor",
                            "There is no bean of that name and of type " + Executor.class.getName() + ". "
                                    + (known.isEmpty()
                                            ? "Define one"
                                            : "Set it to " + PropertyReference.listOf(known, "or"))
                                    + ", or remove it for own threads.");
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
