package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a bean for each configured executor, unless there is an executor of this kind and name already; and a second
 * bean for the stripes of each grouped executor.
 *
 * <p>Definitions name a factory method and its argument rather than hold a lambda, so that they survive ahead-of-time
 * processing. The values of the properties are read again when the bean is created; only the names are fixed by
 * ahead-of-time processing.
 */
final class NamedExecutorBeanDefinitions implements ImportBeanDefinitionRegistrar {
    private final Environment environment;
    private final BeanFactory beanFactory;

    NamedExecutorBeanDefinitions(Environment environment, BeanFactory beanFactory) {
        this.environment = environment;
        this.beanFactory = beanFactory;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importingClass, BeanDefinitionRegistry registry) {
        ConfiguredExecutors configured = PropertiesReader.read(environment);
        for (ExecutorSection section : ExecutorSection.values()) {
            for (String name : configured.names(section)) {
                if (registry.isBeanNameInUse(name)) {
                    requireExecutor(section, name);
                } else if (!isInParent(section, name)) {
                    registry.registerBeanDefinition(name, definitionOf(section, name));
                    if (section == ExecutorSection.GROUPED) {
                        registerStripes(name, registry);
                    }
                }
            }
        }
    }

    /**
     * Returns whether a parent context has the executor. A parent usually has the same properties. If this context had
     * an executor of its own, its calls would not wait for calls of the parent that have the same key.
     */
    private boolean isInParent(ExecutorSection section, String name) {
        return beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, section.type());
    }

    /**
     * Requires that an existing bean of this name is an executor of this kind, which the application has defined and
     * which wins. Any other bean would silently leave the properties without effect.
     */
    private void requireExecutor(ExecutorSection section, String name) {
        // this creates no bean, so the type of some factory beans is not known yet
        Class<?> type = beanFactory.containsBean(name) ? beanFactory.getType(name, false) : null;
        if (type != null && !section.type().isAssignableFrom(type)) {
            throw new PropertyFailures(environment)
                    .invalid(
                            section.prefixOf(name),
                            "The executor name '" + name + "' conflicts with an existing bean of type "
                                    + type.getTypeName() + ". Rename one of the two.");
        }
    }

    /** Registers a bean for the stripes of a grouped executor, for injection. */
    private void registerStripes(String name, BeanDefinitionRegistry registry) {
        String ofStripes = ExecutorSection.nameOfStripes(name);
        if (registry.isBeanNameInUse(ofStripes)) {
            Class<?> type = beanFactory.containsBean(ofStripes) ? beanFactory.getType(ofStripes, false) : null;
            throw new PropertyFailures(environment)
                    .invalid(
                            ExecutorSection.GROUPED.prefixOf(name),
                            "The stripes of the grouped executor '" + name + "' are the bean '" + ofStripes
                                    + "', and there is a bean of that name"
                                    + (type == null ? "" : ", of type " + type.getTypeName())
                                    + ". Rename one of the two.");
        }
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(StripedExecutor.class);
        definition.setFactoryBeanName(name);
        definition.setFactoryMethodName("stripes");
        // the dependency holds in AOT mode, too: this bean is destroyed before the executor
        definition.setDependsOn(name);
        definition.setFallback(true);
        definition.setDestroyMethodName("");
        registry.registerBeanDefinition(ofStripes, definition);
    }

    private static RootBeanDefinition definitionOf(ExecutorSection section, String name) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(section.type());
        definition.setFactoryBeanName(ExecutorsConfiguration.FACTORY);
        definition.setFactoryMethodName(section.factoryMethod());
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        // injection without a name selects one of these only if there is no other executor
        definition.setFallback(true);
        // not close(), which would wait without a limit: ExecutorsShutdown ends it
        definition.setDestroyMethodName("");
        return definition;
    }
}
