package io.orderedexecutor.spring.annotation;

import org.springframework.aop.Advisor;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.MethodMatchers;

/**
 * Lets the arguments of a call be validated before it is submitted: on the thread of the caller, which gets the
 * exception. Inside the task, a bad argument would be retried, and would park its key. The class is looked up by name,
 * since validation may be missing.
 */
final class ValidationAdvice {
    private static final String INTERCEPTOR =
            "org.springframework.validation.beanvalidation.MethodValidationInterceptor";

    private ValidationAdvice() {}

    /**
     * Lets the validation be called directly in front of our advice, for ordered methods, and so behind the advice of
     * Spring Security, for which that was done before. All other methods keep their order of advice.
     */
    static void moveInFrontOf(PointcutAdvisor own, Advised proxy) {
        MethodMatcher ordered = own.getPointcut().getMethodMatcher();
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor instanceof PointcutAdvisor validation
                    && isValidation(advisor.getAdvice().getClass())
                    && proxy.indexOf(advisor) > proxy.indexOf(own)) {
                proxy.addAdvisor(proxy.indexOf(own), AuthorizationAdvice.limited(validation, ordered));
                proxy.replaceAdvisor(
                        validation, AuthorizationAdvice.limited(validation, MethodMatchers.negate(ordered)));
            }
        }
    }

    private static boolean isValidation(Class<?> advice) {
        Class<?> superclass = advice.getSuperclass();
        return advice.getName().equals(INTERCEPTOR) || (superclass != null && isValidation(superclass));
    }
}
