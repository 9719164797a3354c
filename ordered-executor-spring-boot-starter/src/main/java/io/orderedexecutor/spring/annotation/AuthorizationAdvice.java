package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
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
     * Moves advice of Spring Security that directly follows our advice to the place in front of our advice. If other
     * advice is in between, the application has chosen this order, and the other advice belongs inside the task. This
     * order is refused if it concerns an ordered method.
     */
    static void moveInFrontOf(Advisor own, Advised proxy, Collection<OrderedAsyncOperation> operations) {
        List<Advisor> behind = advisorsBehind(own, proxy);
        for (Advisor advisor : behind) {
            if (isAuthorization(advisor)) {
                proxy.removeAdvisor(advisor);
                proxy.addAdvisor(proxy.indexOf(own), advisor);
            } else if (advisor != ExposeInvocationInterceptor.ADVISOR) {
                break;
            }
        }
        for (Advisor advisor : advisorsBehind(own, proxy)) {
            if (isAuthorization(advisor)) {
                operations.forEach(operation -> refuseIfInside(advisor, operation));
            }
        }
    }

    private static List<Advisor> advisorsBehind(Advisor own, Advised proxy) {
        List<Advisor> all = List.of(proxy.getAdvisors());
        return new ArrayList<>(all.subList(all.indexOf(own) + 1, all.size()));
    }

    private static void refuseIfInside(Advisor advisor, OrderedAsyncOperation operation) {
        boolean applies = advisor instanceof PointcutAdvisor pointcut
                && pointcut.getPointcut()
                        .getMethodMatcher()
                        .matches(operation.method(), operation.method().getDeclaringClass());
        if (applies) {
            throw new InvalidOrderedAsyncException(
                    "@OrderedAsync on " + describe(operation.method())
                            + ": the advice of Spring Security is behind other advice, so it would check the call "
                            + "inside the task, after the call has returned to the caller",
                    "Put the advice of Spring Security first: change the offset of @EnableMethodSecurity, or the "
                            + "order of the other advice.");
        }
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
