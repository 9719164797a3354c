package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;

/** The parameters of a method as an expression can name them: by name, if names are known, and by position. */
final class MethodParameters {
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final boolean haveNames;

    /**
     * The positions of the parameters by the names of variables: first the parameter names, then {@code p0}, {@code a0}
     * and so on.
     */
    private final Map<String, Integer> positions = new LinkedHashMap<>();

    MethodParameters(Method method) {
        this.method = method;
        @Nullable String[] names = NAMES.getParameterNames(method);
        this.haveNames = names != null;
        for (int i = 0; names != null && i < names.length; i++) {
            if (names[i] != null) {
                positions.putIfAbsent(names[i], i);
            }
        }
        for (String prefix : List.of("p", "a")) {
            for (int i = 0; i < method.getParameterCount(); i++) {
                positions.putIfAbsent(prefix + i, i);
            }
        }
    }

    boolean haveNames() {
        return method.getParameterCount() == 0 || haveNames;
    }

    /** Returns the name of a parameter for examples in messages; a made-up name if the real ones are not known. */
    String example() {
        return positions.keySet().stream().findFirst().orElse("clientId");
    }

    /** Returns the position of the parameter that a variable stands for, or -1. */
    int positionOf(String variable) {
        return positions.getOrDefault(variable, -1);
    }

    /** Returns the variables as messages list them; empty if there are none. */
    String listed() {
        return positions.isEmpty() ? "" : "#" + String.join(", #", positions.keySet());
    }

    /** Returns the position of the parameter that is all of an expression, or -1. */
    int positionOf(SpelNode expression) {
        return expression instanceof VariableReference
                ? positionOf(expression.toStringAST().substring(1))
                : -1;
    }

    /** Returns the type of a parameter. */
    Class<?> typeOf(int position) {
        return method.getParameterTypes()[position];
    }
}
