package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Tells a native image what expressions reach by reflection: the properties and methods of the arguments, and of what
 * those return. What an expression calls on a bean is not known here, nor is what a mistaken expression means; that
 * fails when the application starts.
 */
final class OrderedAsyncReflectiveProcessor extends SimpleReflectiveProcessor {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    @Override
    protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
        super.registerTypeHint(hints, type);
        OrderedAsync annotation = AnnotatedElementUtils.findMergedAnnotation(type, OrderedAsync.class);
        if (annotation != null) {
            for (Method method : type.getMethods()) {
                registerExpressions(hints, method, annotation);
            }
        }
    }

    @Override
    protected void registerMethodHint(ReflectionHints hints, Method method) {
        super.registerMethodHint(hints, method);
        OrderedAsync annotation = AnnotatedElementUtils.findMergedAnnotation(method, OrderedAsync.class);
        if (annotation != null) {
            registerExpressions(hints, method, annotation);
        }
    }

    private static void registerExpressions(ReflectionHints hints, Method method, OrderedAsync annotation) {
        for (String text : new String[] {annotation.stripe(), annotation.groups(), annotation.shared()}) {
            SpelNode expression = parsed(text);
            if (expression != null) {
                registerWithin(hints, method, expression);
            }
        }
    }

    /** Null if there is none, or one that is wrong, which fails when the application starts. */
    private static @Nullable SpelNode parsed(String text) {
        try {
            return text.isBlank() ? null : PARSER.parseRaw(text).getAST();
        } catch (ParseException | IllegalStateException e) {
            return null;
        }
    }

    private static void registerWithin(ReflectionHints hints, Method method, SpelNode node) {
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            MethodParameters parameters = new MethodParameters(method);
            int position = parameters.positionOf(variable);
            Class<?> type = position < 0 ? null : parameters.typeOf(position);
            for (int i = 1; i < node.getChildCount() && type != null; i++) {
                type = registerStep(hints, type, node.getChild(i));
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            registerWithin(hints, method, node.getChild(i));
        }
    }

    /**
     * Registers what the node is for a value of the type, and returns the type of the result, or null if it is not
     * known.
     */
    private static @Nullable Class<?> registerStep(ReflectionHints hints, Class<?> type, SpelNode node) {
        if (node instanceof MethodReference called) {
            return registerMethods(hints, type, called.getName());
        }
        if (!(node instanceof PropertyOrFieldReference property)) {
            return null;
        }
        String name = property.getName();
        for (String accessor :
                new String[] {"get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name), name}) {
            Class<?> result = registerMethods(hints, type, accessor);
            if (result != null) {
                return result;
            }
        }
        Field field = ReflectionUtils.findField(type, name);
        if (field == null) {
            return null;
        }
        hints.registerField(field);
        return field.getType();
    }

    private static @Nullable Class<?> registerMethods(ReflectionHints hints, Class<?> type, String name) {
        Class<?> result = null;
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
                result = method.getReturnType();
            }
        }
        return result;
    }
}
