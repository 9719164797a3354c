package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes a bean of every name under {@code ordered-executor.striped}, unless there is an executor of that name.
 *
 * <p>Definitions name a factory method and its argument rather than hold a lambda, so that they survive ahead-of-time
 * processing. The values are read again when the bean is created; only the names are frozen then.
 */
final class StripedExecutorBeanDefinitions implements ImportBeanDefinitionRegistrar {
    private final Environment environment;
    private final BeanFactory beanFactory;

    StripedExecutorBeanDefinitions(Environment environment, BeanFactory beanFactory) {
        this.environment = environment;
        this.beanFactory = beanFactory;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importingClass, BeanDefinitionRegistry registry) {
        for (String name : PropertiesReader.read(environment).striped().keySet()) {
            if (registry.isBeanNameInUse(name)) {
                requireStripedExecutor(name);
            } else {
                registry.registerBeanDefinition(name, definitionOf(name));
            }
        }
    }

    /** The application's executor of that name wins. Anything else would leave the property without effect, and no word of it. */
    private void requireStripedExecutor(String name) {
        // without creating anything; the type of some factory beans is not known then
        Class<?> type = beanFactory.containsBean(name) ? beanFactory.getType(name, false) : null;
        if (type != null && !StripedExecutor.class.isAssignableFrom(type)) {
            throw PropertiesReader.nameTaken(environment, name, type);
        }
    }

    private static RootBeanDefinition definitionOf(String name) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(StripedExecutor.class);
        definition.setFactoryBeanName(StripedExecutorConfiguration.FACTORY);
        definition.setFactoryMethodName("create");
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        // whoever asks for a StripedExecutor without a name never means one of these, as long as there is another
        definition.setFallback(true);
        // not close(), which would wait without a limit: ExecutorsShutdown ends it
        definition.setDestroyMethodName("");
        return definition;
    }
}
