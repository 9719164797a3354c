package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.MethodMatchers;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ClassUtils;

/**
 * Lets Spring Security authorize a call before it is submitted, on the thread of the caller. If the call is denied, the
 * caller gets the exception. So the authentication of the caller need not be propagated to the thread of the task. The
 * classes are looked up by name, since Spring Security may be missing.
 */
final class AuthorizationAdvice {
    private static final String ADVISOR = "org.springframework.security.authorization.method.AuthorizationAdvisor";

    private AuthorizationAdvice() {}

    /**
     * Lets advice of Spring Security that follows our advice be called in front of it, for ordered methods. All other
     * methods keep their order of advice. If other advice of an ordered method is in between and has a higher
     * precedence, the application has chosen this order, which is refused. Advice of a lower precedence belongs inside
     * the task: its post-processor has put it in front of all others, as that of {@code @Retryable} does.
     */
    static void moveInFrontOf(
            PointcutAdvisor own, Advised proxy, Collection<OrderedAsyncOperation> operations, Class<?> targetClass) {
        MethodMatcher ordered = own.getPointcut().getMethodMatcher();
        List<Advisor> between = new ArrayList<>();
        for (Advisor advisor : advisorsBehind(own, proxy)) {
            if (isAuthorization(advisor) && advisor instanceof PointcutAdvisor security) {
                operations.forEach(operation -> refuseIfInside(security, between, operation, targetClass));
                proxy.addAdvisor(proxy.indexOf(own), limited(security, ordered));
                proxy.replaceAdvisor(security, limited(security, MethodMatchers.negate(ordered)));
            } else if (advisor != ExposeInvocationInterceptor.ADVISOR) {
                between.add(advisor);
            }
        }
    }

    private static List<Advisor> advisorsBehind(Advisor own, Advised proxy) {
        List<Advisor> all = List.of(proxy.getAdvisors());
        return all.subList(all.indexOf(own) + 1, all.size());
    }

    /** Returns the same advice, for some of the methods only. */
    static Advisor limited(PointcutAdvisor advisor, MethodMatcher methods) {
        Pointcut all = advisor.getPointcut();
        return new DefaultPointcutAdvisor(new ComposablePointcut(all).intersection(methods), advisor.getAdvice());
    }

    private static void refuseIfInside(
            Advisor security, List<Advisor> between, OrderedAsyncOperation operation, Class<?> targetClass) {
        if (applies(security, operation, targetClass)
                && between.stream()
                        .anyMatch(other -> AnnotationAwareOrderComparator.INSTANCE.compare(other, security) <= 0
                                && applies(other, operation, targetClass))) {
            throw new InvalidOrderedAsyncException(
                    "@OrderedAsync on " + describe(operation.method())
                            + ": the advice of Spring Security is behind other advice, so it would check the call "
                            + "inside the task, after the call has returned to the caller",
                    "Put the advice of Spring Security first: change the offset of @EnableMethodSecurity, or the "
                            + "order of the other advice.");
        }
    }

    private static boolean applies(Advisor advisor, OrderedAsyncOperation operation, Class<?> targetClass) {
        return advisor instanceof PointcutAdvisor pointcut
                ? pointcut.getPointcut().getClassFilter().matches(targetClass)
                        && pointcut.getPointcut().getMethodMatcher().matches(operation.method(), targetClass)
                : !(advisor instanceof IntroductionAdvisor);
    }

    /** Returns whether an advisor is one of Spring Security, or refers to one as its advice. */
    private static boolean isAuthorization(Advisor advisor) {
        return isAuthorization((Object) advisor) || isAuthorization(advisor.getAdvice());
    }

    private static boolean isAuthorization(Object object) {
        return ClassUtils.getAllInterfacesAsSet(object).stream()
                .anyMatch(type -> type.getName().equals(ADVISOR));
    }
}
