package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a bean for the name of each configured executor, unless there is an executor of that kind and name, and one
 * for the stripes of each that is grouped.
 *
 * <p>Definitions name a factory method and its argument rather than hold a lambda, so that they survive ahead-of-time
 * processing. The values are read again when the bean is created; only the names are frozen then.
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
     * Tells whether a parent context has the executor. It most often has the same properties: with an executor of its
     * own, calls of this context would not wait for those of the parent that have the same key.
     */
    private boolean isInParent(ExecutorSection section, String name) {
        return beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, section.type());
    }

    /**
     * The application's executor of that name wins. Anything else would leave the property without effect, and no word
     * of it.
     */
    private void requireExecutor(ExecutorSection section, String name) {
        // without creating anything; the type of some factory beans is not known then
        Class<?> type = beanFactory.containsBean(name) ? beanFactory.getType(name, false) : null;
        if (type != null && !section.type().isAssignableFrom(type)) {
            throw new PropertyFailures(environment)
                    .invalid(
                            section.prefixOf(name),
                            "The executor name '" + name + "' conflicts with an existing bean of type "
                                    + type.getTypeName() + ". Rename one of the two.");
        }
    }

    /** The other face of a grouped executor, for injection. */
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
        // says in AOT mode, too, that it ends before the executor
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
        // injection without a name never means one of these, as long as there is another
        definition.setFallback(true);
        // not close(), which would wait without a limit: ExecutorsShutdown ends it
        definition.setDestroyMethodName("");
        return definition;
    }
}
