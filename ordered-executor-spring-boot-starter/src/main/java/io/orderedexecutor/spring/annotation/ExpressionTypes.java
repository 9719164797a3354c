package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the types of an expression that are known before the first call: the declared types of parameters, and of the
 * properties and methods that are reached through them. A value may be of a subtype with more members. A final type,
 * such as a record or a string, has no subtypes, so a name that it does not have is a mistake.
 */
final class ExpressionTypes {
    private final MethodParameters parameters;
    private final String declared;

    /** @param declared the checked attribute and its method, for messages */
    ExpressionTypes(MethodParameters parameters, String declared) {
        this.parameters = parameters;
        this.declared = declared;
    }

    /**
     * Returns the declared type of the value of an expression, or null if it is not known.
     *
     * @throws InvalidOrderedAsyncException if the expression uses a property or method that a final type does not have
     */
    @Nullable
    Class<?> of(SpelNode node) {
        if (!(node instanceof CompoundExpression)) {
            return ofVariable(node);
        }
        Class<?> type = ofVariable(node.getChild(0));
        for (int i = 1; i < node.getChildCount() && type != null; i++) {
            type = ofMember(ClassUtils.resolvePrimitiveIfNecessary(type), node.getChild(i));
        }
        return type;
    }

    private @Nullable Class<?> ofVariable(SpelNode node) {
        int position = node instanceof VariableReference ? parameters.positionOf(node) : -1;
        return position < 0 ? null : parameters.typeOf(position);
    }

    private @Nullable Class<?> ofMember(Class<?> type, SpelNode node) {
        // SpEL looks up static members of a Class value, and members of the value in an Optional
        if (type == Class.class || type == Optional.class) {
            return null;
        }
        if (node instanceof PropertyOrFieldReference property) {
            Class<?> found = ofProperty(type, property.getName());
            if (found == null && Modifier.isFinal(type.getModifiers())) {
                throw unknown(node, "property", type, "Use one of " + propertiesOf(type) + ".");
            }
            return found;
        }
        if (node instanceof MethodReference method) {
            Class<?> found = ofMethod(type, method.getName(), node.getChildCount());
            if (found == null && Modifier.isFinal(type.getModifiers())) {
                throw unknown(node, "method", type, "Correct its name, or the number of its arguments.");
            }
            return found;
        }
        return null;
    }

    private InvalidOrderedAsyncException unknown(SpelNode node, String kind, Class<?> type, String fix) {
        return new InvalidOrderedAsyncException(
                declared + ", in which '" + node.toStringAST() + "' is not a " + kind + " of " + type.getTypeName(),
                fix);
    }

    private static @Nullable Class<?> ofProperty(Class<?> type, String name) {
        if (type.isArray() && name.equals("length")) {
            return int.class;
        }
        String suffix = StringUtils.capitalize(name);
        for (String getter : List.of("get" + suffix, "is" + suffix, "get" + name, "is" + name, name)) {
            Class<?> result = ofMethod(type, getter, 0);
            if (result != null && result != void.class) {
                return result;
            }
        }
        for (Field field : type.getFields()) {
            if (field.getName().equals(name)) {
                return field.getType();
            }
        }
        return null;
    }

    private static @Nullable Class<?> ofMethod(Class<?> type, String name, int arguments) {
        for (Method method : type.getMethods()) {
            boolean takesThem = method.getParameterCount() == arguments
                    || (method.isVarArgs() && method.getParameterCount() <= arguments + 1);
            if (method.getName().equals(name) && takesThem && !method.isBridge()) {
                return method.getReturnType();
            }
        }
        return null;
    }

    /** Returns the names of the properties of a type, for messages. */
    private static String propertiesOf(Class<?> type) {
        TreeSet<String> names = new TreeSet<>();
        for (Field field : type.getFields()) {
            names.add(field.getName());
        }
        for (Method method : type.getMethods()) {
            boolean isGetter = method.getParameterCount() == 0
                    && method.getReturnType() != void.class
                    && method.getDeclaringClass() != Object.class
                    && !Modifier.isStatic(method.getModifiers());
            if (isGetter
                    && !method.getName().equals("hashCode")
                    && !method.getName().equals("toString")) {
                names.add(StringUtils.uncapitalize(method.getName().replaceFirst("^(get|is)(?=[A-Z])", "")));
            }
        }
        return String.join(", ", names);
    }

    /**
     * Returns whether the instances of a type are equal only to themselves, as far as the declaration of the type
     * shows.
     */
    static boolean isWithoutEquals(Class<?> type) {
        if (type.isInterface() || type.isPrimitive() || type == Object.class || type == Class.class) {
            return false;
        }
        if (type.isArray()) {
            return true;
        }
        try {
            return !Modifier.isAbstract(type.getModifiers())
                    && type.getMethod("equals", Object.class).getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }
}
