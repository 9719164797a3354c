package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/** Warns once, at the start, of annotated methods that run unordered, since the executors are switched off. */
final class UnorderedMethods implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(UnorderedMethods.class);
    private static final int MOST_NAMED = 3;

    private final Set<Method> methods = ConcurrentHashMap.newKeySet();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        methods.addAll(OrderedAsyncPostProcessor.annotatedMethods(AopProxyUtils.ultimateTargetClass(bean)));
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (methods.isEmpty()) {
            return;
        }
        int count = methods.size();
        String named = methods.stream()
                .map(ClassUtils::getQualifiedMethodName)
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .limit(MOST_NAMED)
                .collect(Collectors.joining(", "));
        logger.warn(OrderedExecutorProperties.PREFIX + ".enabled is false: "
                + (count == 1 ? "1 method with @OrderedAsync runs" : count + " methods with @OrderedAsync run")
                + " on the threads of callers, unordered: " + named
                + (count > MOST_NAMED ? " and " + (count - MOST_NAMED) + " more" : ""));
    }
}
