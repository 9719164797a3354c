package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Thrown if an {@code @OrderedAsync} declaration is wrong. The exception says what is wrong, and what to change. */
final class InvalidOrderedAsyncException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String fix;

    InvalidOrderedAsyncException(String problem, String fix) {
        this(problem, fix, null);
    }

    InvalidOrderedAsyncException(String problem, String fix, @Nullable Throwable cause) {
        super(problem + ". " + fix, cause);
        this.problem = problem;
        this.fix = fix;
    }

    String problem() {
        return problem;
    }

    String fix() {
        return fix;
    }

    /** Returns the method as messages name it: class, name and parameter types. */
    static String describe(Method method) {
        StringBuilder parameters = new StringBuilder();
        for (Class<?> type : method.getParameterTypes()) {
            parameters.append(parameters.isEmpty() ? "" : ", ").append(ClassUtils.getShortName(type));
        }
        return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
