package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.spring.test.TestThread;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.ClassUtils;

/** Builds executors from their properties. */
final class ExecutorFactory {
    private static final boolean CONTEXTS_ARE_PROPAGATED = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", ExecutorFactory.class.getClassLoader());

    private final OrderedExecutorProperties properties;
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
        this.properties = PropertiesReader.read(environment);
        this.stripedCustomizers = stripedCustomizers;
        this.groupedCustomizers = groupedCustomizers;
        this.orderedOutputCustomizers = orderedOutputCustomizers;
        this.beanFactory = beanFactory;
        this.environment = environment;
        for (ExecutorSection section : ExecutorSection.values()) {
            for (String name : section.of(properties).keySet()) {
                if (!beanFactory.containsBean(name)) {
                    throw new PropertyFailures(environment).nameWithoutBean(section, name);
                }
            }
        }
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    StripedExecutor createStriped(String name) {
        Settings settings = properties.settingsOf(ExecutorSection.STRIPED, name);
        StripedExecutorBuilder builder = StripedExecutor.builder();
        apply(ExecutorSection.STRIPED, name, settings, builder);
        Integer stripeCapacity = settings.stripeCapacity();
        if (stripeCapacity != null) {
            builder.stripeCapacity(stripeCapacity);
        }
        if (Boolean.TRUE.equals(settings.identityStripes())) {
            builder.identityStripes();
        }
        stripedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    GroupedExecutor createGrouped(String name) {
        Settings settings = properties.settingsOf(ExecutorSection.GROUPED, name);
        GroupedExecutorBuilder builder = GroupedExecutor.builder();
        apply(ExecutorSection.GROUPED, name, settings, builder);
        Integer groupCapacity = settings.groupCapacity();
        if (groupCapacity != null) {
            builder.groupCapacity(groupCapacity);
        }
        groupedCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    /** Builds the executor of a bean. Called by bean definitions, by its name. */
    OrderedOutputExecutor createOrderedOutput(String name) {
        Settings settings = properties.settingsOf(ExecutorSection.ORDERED_OUTPUT, name);
        OrderedOutputExecutorBuilder builder = OrderedOutputExecutor.builder();
        apply(ExecutorSection.ORDERED_OUTPUT, name, settings, builder);
        Integer window = settings.window();
        if (window != null) {
            builder.window(window);
        }
        Integer concurrency = settings.concurrency();
        if (concurrency != null) {
            builder.concurrency(concurrency);
        }
        orderedOutputCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }

    private void apply(ExecutorSection section, String name, Settings settings, OrderedExecutorBuilder<?> builder) {
        builder.name(name);
        settings.applyTo(builder);
        TestThread ofTest = beanFactory.getBeanProvider(TestThread.class).getIfAvailable();
        if (ofTest != null) {
            builder.executor(ofTest::execute);
        } else {
            applyThreads(section, name, settings, builder);
        }
    }

    private void applyThreads(
            ExecutorSection section, String name, Settings settings, OrderedExecutorBuilder<?> builder) {
        Integer threads = settings.threads();
        if (threads != null) {
            builder.threads(threads);
        }
        String executor = settings.executor();
        if (executor != null) {
            Executor bean = executorBean(section, name, executor);
            builder.executor(CONTEXTS_ARE_PROPAGATED ? ContextFreeHandOver.to(bean) : bean);
        } else if (threads == null && Threading.VIRTUAL.isActive(environment)) {
            SimpleAsyncTaskExecutor virtual = new SimpleAsyncTaskExecutor(name + "-");
            virtual.setVirtualThreads(true);
            builder.executor(virtual);
        }
    }

    private Executor executorBean(ExecutorSection section, String name, String executor) {
        if (!isExecutor(executor)) {
            TreeSet<String> known = new TreeSet<>();
            for (String candidate : beanFactory.getBeanNamesForType(Executor.class, true, false)) {
                known.add(candidate);
            }
            Settings own = section.of(properties).get(name);
            boolean isOwn = own != null && own.executor() != null;
            String prefix = isOwn ? section.prefixOf(name) : OrderedExecutorProperties.PREFIX + ".defaults";
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
