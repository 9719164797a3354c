package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;

/** The parameters of a method as an expression can name them: by name, if that is known, and by position. */
final class MethodParameters {
    static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final @Nullable String @Nullable [] names;

    /** The names, in their order, and then the positions. */
    private final Set<String> variables = new LinkedHashSet<>();

    MethodParameters(Method method) {
        this.method = method;
        this.names = NAMES.getParameterNames(method);
        if (names != null) {
            for (String name : names) {
                if (name != null) {
                    variables.add(name);
                }
            }
        }
        for (String prefix : List.of("p", "a")) {
            for (int i = 0; i < method.getParameterCount(); i++) {
                variables.add(prefix + i);
            }
        }
    }

    boolean haveNames() {
        return method.getParameterCount() == 0 || names != null;
    }

    /** A variable that there is, or that a reader will understand. */
    String example() {
        return variables.stream().findFirst().orElse("clientId");
    }

    /** Returns the position of a variable among all that there are, or -1. */
    int indexOf(String variable) {
        return List.copyOf(variables).indexOf(variable);
    }

    /** The variables as messages list them; empty if there are none. */
    String listed() {
        return variables.isEmpty() ? "" : "#" + String.join(", #", variables);
    }

    /** Tells whether an expression is nothing but a parameter that is an array. */
    boolean isArray(SpelNode expression) {
        Class<?> type = typeOf(expression.toStringAST());
        return type != null && type.isArray();
    }

    /** Returns the type of a parameter as an expression names it, with a {@code #}; null if there is none. */
    @Nullable
    Class<?> typeOf(String variable) {
        for (int i = 0; i < method.getParameterCount(); i++) {
            boolean named = names != null && variable.equals("#" + names[i]);
            if (named || variable.equals("#p" + i) || variable.equals("#a" + i)) {
                return method.getParameterTypes()[i];
            }
        }
        return null;
    }
}
