package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The expression that finds the stripe of a call. It is parsed and checked once, since SpEL takes a misspelt variable for null
 * and would tell only at the first call, if at all.
 */
final class StripeExpression {
    private static final Log logger = LogFactory.getLog(StripeExpression.class);
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final SpelExpression expression;
    private final StandardEvaluationContext shared;

    private StripeExpression(Method method, SpelExpression expression, StandardEvaluationContext shared) {
        this.method = method;
        this.expression = expression;
        this.shared = shared;
    }

    /**
     * Parses and checks an expression.
     *
     * @param method whose arguments are its variables
     * @param shared what all evaluations have in common
     * @param beans whether there is a bean of a name
     */
    static StripeExpression of(String text, Method method, StandardEvaluationContext shared, Predicate<String> beans) {
        String where = "@OrderedAsync on " + InvalidOrderedAsyncException.describe(method);
        if (text.isBlank()) {
            throw new InvalidOrderedAsyncException(
                    where + " has a blank stripe",
                    "Give it an expression that tells what a call belongs to, such as stripe = \"#" + example(method)
                            + "\".");
        }
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new InvalidOrderedAsyncException(
                    where + " has a stripe that is no valid SpEL expression: \"" + text + "\" (" + e.getMessage() + ")",
                    "Correct the expression, to stripe = \"#" + example(method) + "\" for instance.",
                    e);
        }
        StripeExpressionCheck.of(variables(method), hasNames(method), beans, where, text)
                .check(expression.getAST());
        warnIfArray(method, expression.getAST(), where, text);
        return new StripeExpression(method, expression, shared);
    }

    /**
     * Evaluates the expression for one call.
     *
     * @throws IllegalArgumentException if the stripe is null or cannot be evaluated
     */
    Object evaluate(@Nullable Object[] arguments) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(null, method, arguments, NAMES);
        shared.applyDelegatesTo(context);
        Object stripe;
        try {
            stripe = expression.getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    "The stripe \"" + text() + "\" of " + InvalidOrderedAsyncException.describe(method)
                            + " could not be evaluated: " + e.getMessage(),
                    e);
        }
        if (stripe == null) {
            throw new IllegalArgumentException("The stripe \"" + text() + "\" of "
                    + InvalidOrderedAsyncException.describe(method)
                    + " is null for this call; a call has to belong to a stripe to have a place in its order");
        }
        return stripe;
    }

    String text() {
        return expression.getExpressionString();
    }

    private static Set<String> variables(Method method) {
        Set<String> variables = new LinkedHashSet<>();
        @Nullable String[] names = NAMES.getParameterNames(method);
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
        return variables;
    }

    private static boolean hasNames(Method method) {
        return method.getParameterCount() == 0 || NAMES.getParameterNames(method) != null;
    }

    private static String example(Method method) {
        return variables(method).stream().findFirst().orElse("clientId");
    }

    private static void warnIfArray(Method method, SpelNode ast, String where, String text) {
        for (int i = 0; i < method.getParameterCount(); i++) {
            Class<?> type = method.getParameterTypes()[i];
            @Nullable String[] names = NAMES.getParameterNames(method);
            Set<String> ofParameter = new LinkedHashSet<>(List.of("#p" + i, "#a" + i));
            if (names != null) {
                ofParameter.add("#" + names[i]);
            }
            if (type.isArray() && ofParameter.contains(ast.toStringAST())) {
                logger.warn(where + " has the stripe \"" + text
                        + "\", an array: arrays are equal only to themselves, so every"
                        + " call is a stripe of its own and nothing is ordered. Use a value with equals, such as a list or a"
                        + " string.");
            }
        }
    }
}
