package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/**
 * The expression that finds the stripe or the groups of a call. It is parsed and checked once, at the start: SpEL
 * evaluates a misspelt variable to null, so the mistake would be noticed only at the first call, if at all.
 */
final class KeyExpression {
    private static final Log logger = LogFactory.getLog(KeyExpression.class);
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private static final Set<SpelMessage> ABOUT_NULL = EnumSet.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

    private final KeyAttribute attribute;
    private final Method method;
    private final SpelExpression expression;
    private final MethodParameters parameters;
    private final StandardEvaluationContext common;

    /** The declared types of the keys, as far as they are known. */
    private final Set<Class<?>> keyTypes;

    /**
     * The position of the argument if the expression consists only of an argument, as in most cases: then no evaluation
     * is needed. Otherwise -1.
     */
    private final int argument;

    private KeyExpression(
            KeyAttribute attribute,
            Method method,
            SpelExpression expression,
            MethodParameters parameters,
            StandardEvaluationContext common,
            Set<Class<?>> keyTypes) {
        this.attribute = attribute;
        this.method = method;
        this.expression = expression;
        this.parameters = parameters;
        this.argument = parameters.positionOf(expression.getAST());
        this.common = common;
        this.keyTypes = keyTypes;
    }

    /**
     * Parses and checks an expression.
     *
     * @param attribute the attribute that has the expression as its value
     * @param method the method whose arguments are the variables
     * @param common the context that all evaluations share
     * @param beans returns whether there is a bean of a name
     */
    static KeyExpression of(
            KeyAttribute attribute,
            String text,
            Method method,
            StandardEvaluationContext common,
            Predicate<String> beans) {
        String where = "@OrderedAsync on " + InvalidOrderedAsyncException.describe(method);
        MethodParameters parameters = new MethodParameters(method);
        String example = attribute.example(parameters.example());
        if (text.isBlank()) {
            throw new InvalidOrderedAsyncException(
                    where + ": " + attribute + " is blank",
                    "Give it an expression that tells what a call belongs to, such as " + example + ".");
        }
        String declared = where + " has the " + attribute.of(text);
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new InvalidOrderedAsyncException(
                    declared + ", which is not a valid SpEL expression (" + e.getMessage() + ")",
                    "Correct the expression, to " + example + " for instance.",
                    e);
        }
        SpelNode ast = expression.getAST();
        ExpressionTypes types = new ExpressionTypes(parameters, declared);
        new KeyExpressionCheck(parameters, types, beans, declared).check(ast);
        Set<Class<?>> keyTypes = new LinkedHashSet<>();
        if (attribute == KeyAttribute.STRIPE) {
            warnIfWithoutEquals(ast, types, declared);
            addType(types.of(ast), keyTypes);
        } else if (ast instanceof InlineList) {
            checkElements(ast, types, declared, example);
            for (int i = 0; i < ast.getChildCount(); i++) {
                addType(types.of(ast.getChild(i)), keyTypes);
            }
        } else {
            Class<?> type = types.of(ast);
            addType(type != null && type.isArray() ? type.getComponentType() : type, keyTypes);
        }
        return new KeyExpression(attribute, method, expression, parameters, common, keyTypes);
    }

    private static void addType(@Nullable Class<?> type, Set<Class<?>> types) {
        if (type != null) {
            types.add(ClassUtils.resolvePrimitiveIfNecessary(type));
        }
    }

    /** The declared types of the keys, as far as they are known before there is a call. */
    Set<Class<?>> keyTypes() {
        return keyTypes;
    }

    KeyAttribute attribute() {
        return attribute;
    }

    private static void checkElements(SpelNode list, ExpressionTypes types, String declared, String example) {
        if (list.getChildCount() == 0) {
            throw new InvalidOrderedAsyncException(
                    declared + ", a list without elements", "Name at least one group, as in " + example + ".");
        }
        for (int i = 0; i < list.getChildCount(); i++) {
            warnIfWithoutEquals(list.getChild(i), types, declared);
        }
    }

    private static void warnIfWithoutEquals(SpelNode key, ExpressionTypes types, String declared) {
        Class<?> type = types.of(key);
        if (type != null && ExpressionTypes.isWithoutEquals(type)) {
            logger.warn(declared + ", in which " + key.toStringAST() + " is "
                    + (type.isArray() ? "an array" : "a " + type.getTypeName() + ", a class without equals")
                    + ": its instances are equal only to themselves, so only calls with the very same instance "
                    + "are ordered."
                    + " Use a value with equals, such as an id, a string or a list.");
        }
    }

    /**
     * Evaluates the expression for one call.
     *
     * @throws IllegalArgumentException if the value is null or cannot be evaluated
     */
    Object evaluate(@Nullable Object[] arguments) {
        Object value = argument < 0 ? evaluated(arguments) : arguments[argument];
        if (value == null) {
            throw wrong("null for this call; without a value, the call has no place in the order");
        }
        return value;
    }

    private @Nullable Object evaluated(@Nullable Object[] arguments) {
        ArgumentsContext context = new ArgumentsContext(parameters, arguments);
        common.applyDelegatesTo(context);
        try {
            return expression.getValue(context);
        } catch (EvaluationException e) {
            Set<String> nulls = new LinkedHashSet<>();
            if (e instanceof SpelEvaluationException ofSpel && ABOUT_NULL.contains(ofSpel.getMessageCode())) {
                addNulls(expression.getAST(), arguments, nulls);
            }
            String reason = nulls.isEmpty()
                    ? ": " + e.getMessage()
                    : ", as " + String.join(" and ", nulls) + (nulls.size() == 1 ? " is null" : " are null");
            throw new IllegalArgumentException(subject() + " could not be evaluated" + reason, e);
        }
    }

    /** Adds the parameters that are null and whose members the expression accesses. */
    private void addNulls(SpelNode node, @Nullable Object[] arguments, Set<String> nulls) {
        int parameter = node instanceof CompoundExpression ? parameters.positionOf(node.getChild(0)) : -1;
        if (parameter >= 0 && arguments[parameter] == null) {
            nulls.add(node.getChild(0).toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            addNulls(node.getChild(i), arguments, nulls);
        }
    }

    /** Returns the exception for a call whose value is not allowed. */
    IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(subject() + " " + attribute.verb() + " " + what);
    }

    private String subject() {
        return "The " + attribute.of(expression.getExpressionString()) + " of "
                + InvalidOrderedAsyncException.describe(method);
    }
}
