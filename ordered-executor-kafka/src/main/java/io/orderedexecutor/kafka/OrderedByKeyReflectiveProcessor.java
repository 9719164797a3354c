package io.orderedexecutor.kafka;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.messaging.Message;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Tells a native image what the stripe of a listener reaches by reflection: the properties and methods of keys and
 * values, and of what those return. Their types are those of the method's parameters, also within a
 * {@code ConsumerRecord} or {@code Message}; what is converted before the method sees it is not known here.
 */
final class OrderedByKeyReflectiveProcessor extends SimpleReflectiveProcessor {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    @Override
    protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
        super.registerTypeHint(hints, type);
        OrderedByKey annotation = AnnotatedElementUtils.findMergedAnnotation(type, OrderedByKey.class);
        for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
            registerStripe(hints, method, annotation);
        }
    }

    @Override
    protected void registerMethodHint(ReflectionHints hints, Method method) {
        super.registerMethodHint(hints, method);
        registerStripe(hints, method, AnnotatedElementUtils.findMergedAnnotation(method, OrderedByKey.class));
    }

    private static void registerStripe(ReflectionHints hints, Method method, @Nullable OrderedByKey annotation) {
        if (annotation != null && !annotation.stripe().isBlank()) {
            try {
                register(hints, method, PARSER.parseRaw(annotation.stripe()).getAST());
            } catch (ParseException | IllegalStateException e) {
                // fails when the application starts, with a message that tells what is wrong
                return;
            }
        }
    }

    private static void register(ReflectionHints hints, Method method, SpelNode node) {
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            for (Class<?> type : typesOf(variable.toStringAST(), method)) {
                Class<?> each = type;
                for (int i = 1; i < node.getChildCount() && each != null; i++) {
                    each = registerStep(hints, each, node.getChild(i));
                }
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            register(hints, method, node.getChild(i));
        }
    }

    /** What a variable may be: any of the parameters, since it is not known which of them is the key. */
    private static Set<Class<?>> typesOf(String variable, Method method) {
        Set<Class<?>> types = new LinkedHashSet<>();
        if (variable.equals("#record")) {
            types.add(ConsumerRecord.class);
        } else if (!variable.equals("#headers")) {
            Arrays.stream(method.getParameters())
                    .flatMap(OrderedByKeyReflectiveProcessor::typesWithin)
                    .map(ResolvableType::resolve)
                    .filter(type -> type != null && !type.isPrimitive() && type != Object.class)
                    .forEach(types::add);
        }
        return types;
    }

    private static Stream<ResolvableType> typesWithin(Parameter parameter) {
        ResolvableType type = ResolvableType.forType(parameter.getParameterizedType());
        Class<?> raw = type.resolve(Object.class);
        return raw == ConsumerRecord.class || raw == Message.class
                ? List.of(type.getGenerics()).stream()
                : Stream.of(type);
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
