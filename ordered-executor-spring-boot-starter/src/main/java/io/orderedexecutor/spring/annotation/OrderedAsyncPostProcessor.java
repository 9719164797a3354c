package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets {@link StripedExecutor} and {@link GroupedExecutor} beans run the {@link OrderedAsync @OrderedAsync} methods of
 * all other beans. Its advice is the outermost of a bean. So transactions, retries and checks of the same method happen
 * inside the task, and so does advice that notes the end of the call, such as Spring Modulith's completion of an event
 * publication. Only two kinds of advice come before it, on the thread of the caller: Spring Security decides on the
 * call, and then {@code @Validated} checks its arguments.
 *
 * <p>In Spring Boot applications, this post-processor is auto-configured. Elsewhere, declare it as a {@code static}
 * bean method, behind that of a {@code MethodValidationPostProcessor}.
 */
public final class OrderedAsyncPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {
    private static final long serialVersionUID = 1L;

    private transient @Nullable OrderedAsyncOperations operations;

    /** Creates a post-processor. */
    public OrderedAsyncPostProcessor() {
        setBeforeExistingAdvisors(true);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        if (!(beanFactory instanceof ConfigurableListableBeanFactory listable)) {
            throw new IllegalArgumentException(
                    "@OrderedAsync needs a ConfigurableListableBeanFactory, not " + beanFactory);
        }
        OrderedAsyncOperations operations = new OrderedAsyncOperations(listable);
        this.operations = operations;
        this.advisor = new DefaultPointcutAdvisor(
                new Annotated(operations), new OrderedAsyncInterceptor(operations, TaskContext.of(listable)));
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (isAdvised(bean)) {
            // the same object under another name, or a bean of a parent context: a call that this advice submitted
            // twice would wait for itself
            return bean;
        }
        Object result = super.postProcessAfterInitialization(bean, beanName);
        if (operations != null
                && advisor instanceof PointcutAdvisor own
                && result instanceof Advised proxy
                && proxy.indexOf(own) >= 0) {
            Class<?> targetClass = AopProxyUtils.ultimateTargetClass(result);
            AuthorizationAdvice.moveInFrontOf(own, proxy, operations.of(targetClass), targetClass);
            ValidationAdvice.moveInFrontOf(own, proxy);
        }
        if (operations != null && AopUtils.isCglibProxy(result)) {
            // no matter which post-processor has created the proxy
            operations.refuseFinalMethods(AopProxyUtils.ultimateTargetClass(result));
        }
        return result;
    }

    /** Returns whether a bean is a proxy with the advice, or a proxy around one. */
    private static boolean isAdvised(Object bean) {
        for (Object each = bean; each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(each)) {
            if (Stream.of(proxy.getAdvisors()).anyMatch(own -> own.getAdvice() instanceof OrderedAsyncInterceptor)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds the methods of a class that are annotated, themselves or through their type. Does not check whether their
     * calls can be ordered.
     *
     * @param beanClass the class of a bean
     * @return the methods
     */
    public static Set<Method> annotatedMethods(Class<?> beanClass) {
        return OrderedAsyncOperations.annotatedMethods(beanClass);
    }

    /**
     * Logs the ordered methods. Warns where equal values are different keys, and where calls of one method may discard
     * the committed events of another one.
     */
    @Override
    public void afterSingletonsInstantiated() {
        if (operations != null) {
            new OrderedMethods(operations.all()).log();
        }
    }

    /**
     * Returns the methods that an executor keeps in order, of the beans that exist so far.
     *
     * @param executor the name of the executor in its meters and the endpoint
     * @return class, name and parameters of each method, sorted
     */
    public List<String> methodsOf(String executor) {
        return operations == null ? List.of() : new OrderedMethods(operations.all()).of(executor);
    }

    /**
     * Returns whether any bean so far has annotated methods.
     *
     * @return true if a bean has annotated methods
     */
    public boolean isUsed() {
        return operations != null && operations.isAny();
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return operations != null && !operations.of(targetClass).isEmpty();
    }

    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        Class<?> targetClass = proxyFactory.getTargetClass();
        if (operations != null && targetClass != null && proxyFactory.isProxyTargetClass()) {
            operations.refuseFinalClass(targetClass);
        }
    }

    /** Returns the operation of a method of a bean class, or null if it has none. */
    @Nullable
    OrderedAsyncOperation find(Method method, Class<?> beanClass) {
        return operations == null ? null : operations.find(method, beanClass);
    }

    /** All methods that have an operation. */
    private static final class Annotated extends StaticMethodMatcherPointcut {
        private final OrderedAsyncOperations operations;

        Annotated(OrderedAsyncOperations operations) {
            this.operations = operations;
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return operations.find(method, targetClass) != null;
        }
    }
}
