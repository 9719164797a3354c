package io.orderedexecutor.spring.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Registers, for a native image, the members that expressions in annotations reach by reflection: the properties and
 * methods of the arguments, of the elements of generic arguments, and of the returned values. Spring calls this
 * processor for annotations that name it in {@link Reflective @Reflective}; applications do not use it.
 *
 * <p>Since parameter names are not always known, this processor takes each variable for any of the arguments. Methods
 * that an expression calls on a bean are not registered. A wrong expression registers nothing; it fails when the
 * application starts.
 */
public final class KeyExpressionReflectiveProcessor extends SimpleReflectiveProcessor {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /** Creates a processor, as Spring does. */
    public KeyExpressionReflectiveProcessor() {}

    @Override
    protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
        super.registerTypeHint(hints, type);
        List<SpelNode> expressions = expressionsOf(type);
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            expressions.forEach(each -> registerWithin(hints, method, each));
        }
    }

    @Override
    protected void registerMethodHint(ReflectionHints hints, Method method) {
        super.registerMethodHint(hints, method);
        expressionsOf(method).forEach(each -> registerWithin(hints, method, each));
    }

    /**
     * Returns the parsed texts of all annotations that name this processor. A text that is not an expression has no
     * effect.
     */
    private List<SpelNode> expressionsOf(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(annotation -> isProcessed(annotation.getType()))
                .flatMap(annotation -> annotation.asMap().values().stream())
                .filter(String.class::isInstance)
                .map(text -> parsed((String) text))
                .filter(Objects::nonNull)
                .toList();
    }

    private boolean isProcessed(Class<?> annotation) {
        MergedAnnotation<Reflective> reflective =
                MergedAnnotations.from(annotation).get(Reflective.class);
        return reflective.isPresent()
                && List.of(reflective.getClassArray("processors")).contains(getClass());
    }

    /** Returns the parsed expression; null if the text is blank or wrong, which fails when the application starts. */
    private static @Nullable SpelNode parsed(String text) {
        try {
            return text.isBlank() ? null : PARSER.parseRaw(text).getAST();
        } catch (ParseException | IllegalStateException e) {
            return null;
        }
    }

    private static void registerWithin(ReflectionHints hints, Method method, SpelNode node) {
        if (node instanceof CompoundExpression) {
            registerPaths(hints, method, node);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            registerWithin(hints, method, node.getChild(i));
        }
    }

    /**
     * Registers what a path reads that begins with a variable, or with a list of variables or such paths. Returns the
     * types that its value may have.
     */
    private static List<ResolvableType> registerPaths(ReflectionHints hints, Method method, SpelNode node) {
        if (node instanceof VariableReference) {
            return typesOf(method).toList();
        }
        if (node instanceof CompoundExpression) {
            return registerPaths(hints, method, node.getChild(0)).stream()
                    .map(type -> registerPath(hints, type, node, 1))
                    .toList();
        }
        return node instanceof InlineList
                ? childrenOf(node)
                        .flatMap(element -> registerPaths(hints, method, element).stream())
                        .map(type -> ResolvableType.forClassWithGenerics(List.class, type))
                        .toList()
                : List.of();
    }

    private static Stream<SpelNode> childrenOf(SpelNode node) {
        return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
    }

    /** Returns the types of the arguments, and their type arguments. */
    private static Stream<ResolvableType> typesOf(Method method) {
        return Arrays.stream(method.getParameters())
                .map(Parameter::getParameterizedType)
                .map(ResolvableType::forType)
                .flatMap(type -> Stream.concat(Stream.of(type), Stream.of(type.getGenerics())));
    }

    /** Registers the steps of the path from the given one on. Returns the type of the result. */
    private static ResolvableType registerPath(
            ReflectionHints hints, ResolvableType start, SpelNode path, int firstStep) {
        ResolvableType type = start;
        for (int i = firstStep; i < path.getChildCount() && isSpecial(type); i++) {
            type = registerStep(hints, type, path.getChild(i));
        }
        return isSpecial(type) ? type : ResolvableType.NONE;
    }

    /**
     * Registers what the expression in a projection or selection reads from an element. Returns the type of its result;
     * {@code NONE} if it is not known.
     */
    private static ResolvableType registerEach(ReflectionHints hints, ResolvableType element, SpelNode node) {
        if (node instanceof CompoundExpression) {
            // the arguments and indexes of its steps are read from the element, too
            childrenOf(node)
                    .filter(step -> step instanceof MethodReference || step instanceof Indexer)
                    .flatMap(KeyExpressionReflectiveProcessor::childrenOf)
                    .forEach(argument -> registerEach(hints, element, argument));
            return registerPath(hints, element, node, 0);
        }
        childrenOf(node).forEach(child -> registerEach(hints, element, child));
        boolean isMember = node instanceof PropertyOrFieldReference || node instanceof MethodReference;
        return isMember && isSpecial(element) ? registerStep(hints, element, node) : ResolvableType.NONE;
    }

    private static boolean isSpecial(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw != null && raw != Object.class && !raw.isPrimitive();
    }

    /**
     * Registers the member that the node reads from a value of this type. Returns the type of the result; {@code NONE}
     * if it is not known.
     */
    private static ResolvableType registerStep(ReflectionHints hints, ResolvableType type, SpelNode node) {
        if (node instanceof Indexer) {
            return elementOf(type);
        }
        if (node instanceof Projection) {
            ResolvableType result = registerEach(hints, eachOf(type), node.getChild(0));
            return ResolvableType.forClassWithGenerics(List.class, result);
        }
        if (node instanceof Selection) {
            registerEach(hints, eachOf(type), node.getChild(0));
            boolean isOne = !node.toStringAST().startsWith("?") && type.asMap() == ResolvableType.NONE;
            return isOne ? elementOf(type) : type;
        }
        if (node instanceof VariableReference && node.toStringAST().equals("#this")) {
            return type;
        }
        if (node instanceof MethodReference called) {
            return registerMethods(hints, type, called.getName());
        }
        if (!(node instanceof PropertyOrFieldReference property)) {
            return ResolvableType.NONE;
        }
        String name = property.getName();
        for (String accessor :
                new String[] {"get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name), name}) {
            ResolvableType result = registerMethods(hints, type, accessor);
            if (result != ResolvableType.NONE) {
                return result;
            }
        }
        Field field = ReflectionUtils.findField(type.toClass(), name);
        if (field == null) {
            return ResolvableType.NONE;
        }
        hints.registerField(field);
        return ResolvableType.forField(field, type);
    }

    /** Returns the type of what a projection or selection goes through. */
    private static ResolvableType eachOf(ResolvableType type) {
        ResolvableType map = type.asMap();
        return map == ResolvableType.NONE
                ? elementOf(type)
                : ResolvableType.forClassWithGenerics(Map.Entry.class, map.getGenerics());
    }

    private static ResolvableType elementOf(ResolvableType type) {
        ResolvableType map = type.asMap();
        return type.isArray()
                ? type.getComponentType()
                : map == ResolvableType.NONE ? type.as(Iterable.class).getGeneric() : map.getGeneric(1);
    }

    private static ResolvableType registerMethods(ReflectionHints hints, ResolvableType type, String name) {
        ResolvableType result = ResolvableType.NONE;
        for (Method method : type.toClass().getMethods()) {
            if (method.getName().equals(name)) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
                result = ResolvableType.forType(method.getGenericReturnType(), type.as(method.getDeclaringClass()));
            }
        }
        return result;
    }
}
