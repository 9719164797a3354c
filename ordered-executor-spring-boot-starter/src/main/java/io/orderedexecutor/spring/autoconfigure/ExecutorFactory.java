package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.ClassUtils;

/** Builds executors from their properties. */
final class ExecutorFactory {
    private static final boolean CONTEXTS_ARE_PROPAGATED = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", ExecutorFactory.class.getClassLoader());

    private final PropertyMapper map = PropertyMapper.get();
    private final ConfiguredExecutors configured;
    private final ObjectProvider<StripedExecutorCustomizer> stripedCustomizers;
    private final ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers;
    private final ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers;
    private final ListableBeanFactory beanFactory;
    private final Environment environment;

    ExecutorFactory(
            ObjectProvider<StripedExecutorCustomizer> stripedCustomizers,
            ObjectProvider<GroupedExecutorCustomizer> groupedCustomizers,
            ObjectProvider<OrderedOutputExecutorCustomizer> orderedOutputCustomizers,
            ListableBeanFactory beanFactory,
            Environment environment) {
        // the registrar has read them too, but not in AOT mode
        this.configured = PropertiesReader.read(environment);
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

    /** After how much time the stuck tasks of a bean are logged; null if they are not. */
    @Nullable
    Duration warnAfter(String name) {
        for (ExecutorSection section : ExecutorSection.values()) {
            if (configured.names(section).contains(name)
                    || section.nameOfDefault().equals(name)) {
                Settings settings = configured.settingsOf(section, name);
                return settings.warns() ? settings.warnAfter() : null;
            }
        }
        return null;
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    StripedExecutor createStripedExecutor(String name) {
        Settings settings = configured.settingsOf(ExecutorSection.STRIPED, name);
        StripedExecutorBuilder builder = StripedExecutor.builder();
        applyCommon(ExecutorSection.STRIPED, name, settings, builder);
        map.from(settings.overflowPolicy()).to(builder::overflow);
        map.from(settings.failurePolicyOfTasks()).to(builder::failurePolicy);
        map.from(settings.stripeCapacity()).to(builder::stripeCapacity);
        map.from(settings.identityStripes()).whenTrue().toCall(builder::identityStripes);
        map.from(settings.reservationLease()).to(builder::reservationLease);
        stripedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    GroupedExecutor createGroupedExecutor(String name) {
        Settings settings = configured.settingsOf(ExecutorSection.GROUPED, name);
        GroupedExecutorBuilder builder = GroupedExecutor.builder();
        applyCommon(ExecutorSection.GROUPED, name, settings, builder);
        map.from(settings.overflowPolicy()).to(builder::overflow);
        map.from(settings.failurePolicyOfTasks()).to(builder::failurePolicy);
        map.from(settings.groupCapacity()).to(builder::groupCapacity);
        map.from(settings.reservationLease()).to(builder::reservationLease);
        groupedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    OrderedOutputExecutor createOrderedOutputExecutor(String name) {
        Settings settings = configured.settingsOf(ExecutorSection.ORDERED_OUTPUT, name);
        OrderedOutputExecutorBuilder builder = OrderedOutputExecutor.builder();
        applyCommon(ExecutorSection.ORDERED_OUTPUT, name, settings, builder);
        // defaults for all executors: an output cannot drop what others wait behind, nor stop for it
        map.from(settings.overflowPolicy())
                .whenNot(Overflow.DiscardOldest.class::isInstance)
                .to(builder::overflow);
        map.from(settings.retry().thenProceed()).to(builder::failurePolicy);
        map.from(settings.window()).to(builder::window);
        map.from(settings.concurrency()).to(builder::concurrency);
        orderedOutputCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    private void applyCommon(
            ExecutorSection section, String name, Settings settings, OrderedExecutorBuilder<?> builder) {
        builder.name(name);
        settings.turn().applyTo(builder);
        map.from(settings.capacity()).to(builder::capacity);
        if (settings.warns()) {
            // times are known of executors that have a listener, and of no others
            builder.listener(new TaskListener() {});
        }
        OrderedExecutorThreads threads =
                beanFactory.getBeanProvider(OrderedExecutorThreads.class).getIfAvailable();
        if (threads != null) {
            threads.applyTo(builder, name);
        } else {
            applyThreads(section, name, settings, builder);
        }
    }

    private void applyThreads(
            ExecutorSection section, String name, Settings settings, OrderedExecutorBuilder<?> builder) {
        map.from(settings.threads()).to(builder::threads);
        String executor = settings.executor();
        if (executor != null) {
            Executor bean = executorBean(section, name, executor);
            builder.executor(CONTEXTS_ARE_PROPAGATED ? ContextFreeHandOver.to(bean) : bean);
        } else if (settings.threads() == null && Threading.VIRTUAL.isActive(environment)) {
            SimpleAsyncTaskExecutor virtual = new SimpleAsyncTaskExecutor(name + "-");
            virtual.setVirtualThreads(true);
            builder.executor(virtual);
        }
    }

    private Executor executorBean(ExecutorSection section, String name, String executor) {
        if (!isExecutor(executor)) {
            List<String> known = Stream.of(beanFactory.getBeanNamesForType(Executor.class, true, false))
                    .sorted()
                    .toList();
            throw new PropertyFailures(environment)
                    .invalid(
                            configured.propertyOfExecutor(section, name),
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
