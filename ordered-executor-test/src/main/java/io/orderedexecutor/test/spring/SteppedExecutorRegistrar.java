package io.orderedexecutor.test.spring;

import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;

/** Registers the beans for {@link AutoConfigureOrderedExecutors}. */
final class SteppedExecutorRegistrar implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(AnnotationMetadata test, BeanDefinitionRegistry registry) {
        MergedAnnotation<AutoConfigureOrderedExecutors> settings =
                test.getAnnotations().get(AutoConfigureOrderedExecutors.class);
        registry.registerBeanDefinition(
                SteppedThreads.BEAN,
                BeanDefinitionBuilder.rootBeanDefinition(SteppedThreads.class, "of")
                        .addConstructorArgValue(settings.getEnum("calls", AutoConfigureOrderedExecutors.Calls.class))
                        .addConstructorArgValue(settings.getLong("seed"))
                        .addConstructorArgValue(settings.getBoolean("onCallingThread"))
                        .getBeanDefinition());
        registry.registerBeanDefinition(
                SteppedThreads.BEAN + "Injection",
                BeanDefinitionBuilder.rootBeanDefinition(SteppedExecutorInjection.class)
                        .getBeanDefinition());
    }
}
