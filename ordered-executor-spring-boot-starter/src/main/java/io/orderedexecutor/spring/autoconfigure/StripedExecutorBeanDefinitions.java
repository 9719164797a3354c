package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes a bean of every name under {@code ordered-executor.striped}, unless there is a bean of that name.
 *
 * <p>Definitions name a factory method and its argument rather than hold a lambda, so that they survive ahead-of-time
 * processing. The values are read again when the bean is created; only the names are frozen then.
 */
final class StripedExecutorBeanDefinitions implements ImportBeanDefinitionRegistrar {
    private final Environment environment;

    StripedExecutorBeanDefinitions(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importingClass, BeanDefinitionRegistry registry) {
        for (String name : PropertiesReader.read(environment).striped().keySet()) {
            if (!registry.isBeanNameInUse(name)) {
                registry.registerBeanDefinition(name, definitionOf(name));
            }
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
