package io.orderedexecutor.spring.annotation;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;

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
     * Moves the validation directly in front of our advice, and so behind the advice of Spring Security, which was
     * moved before.
     */
    static void moveInFrontOf(Advisor own, Advised proxy) {
        for (Advisor advisor : proxy.getAdvisors()) {
            if (isValidation(advisor.getAdvice().getClass()) && proxy.indexOf(advisor) > proxy.indexOf(own)) {
                proxy.removeAdvisor(advisor);
                proxy.addAdvisor(proxy.indexOf(own), advisor);
            }
        }
    }

    private static boolean isValidation(Class<?> advice) {
        Class<?> superclass = advice.getSuperclass();
        return advice.getName().equals(INTERCEPTOR) || (superclass != null && isValidation(superclass));
    }
}
