package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotated methods of bean classes, and refuses those whose calls could not be ordered. */
final class OrderedAsyncOperations {
    private final TaskSubmitterFactory submitters;
    private final Map<Class<?>, Collection<OrderedAsyncOperation>> byClass = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, Optional<OrderedAsyncOperation>> byMethod = new ConcurrentHashMap<>();

    OrderedAsyncOperations(ConfigurableListableBeanFactory beanFactory) {
        this.submitters = new TaskSubmitterFactory(beanFactory);
    }

    /** Returns whether any bean class has had an operation so far. */
    boolean isAny() {
        return byMethod.values().stream().anyMatch(Optional::isPresent);
    }

    /** Returns all operations that bean classes have had so far. */
    List<OrderedAsyncOperation> all() {
        return byMethod.values().stream().flatMap(Optional::stream).toList();
    }

    /** Returns the operations of a bean class. */
    Collection<OrderedAsyncOperation> of(Class<?> beanClass) {
        if (!AnnotationUtils.isCandidateClass(beanClass, OrderedAsync.class)) {
            return List.of();
        }
        Class<?> userClass = ClassUtils.getUserClass(beanClass);
        Collection<OrderedAsyncOperation> known = byClass.get(userClass);
        if (known == null) {
            // not within computeIfAbsent: the search may create an executor bean, whose class is then searched as well
            known = MethodIntrospector.selectMethods(userClass, (Method method) -> find(method, userClass))
                    .values();
            byClass.put(userClass, known);
        }
        return known;
    }

    /** Returns the operation of a method of a bean class, or null if it has none. */
    @Nullable
    OrderedAsyncOperation find(Method method, Class<?> beanClass) {
        Class<?> userClass = ClassUtils.getUserClass(beanClass);
        MethodClassKey key = new MethodClassKey(method, userClass);
        Optional<OrderedAsyncOperation> known = byMethod.get(key);
        if (known == null) {
            known = Optional.ofNullable(look(method, userClass));
            byMethod.put(key, known);
        }
        return known.orElse(null);
    }

    private @Nullable OrderedAsyncOperation look(Method declared, Class<?> userClass) {
        Method method = Proxy.isProxyClass(userClass)
                ? declared // a proxy's own methods have no parameter names
                : BridgeMethodResolver.getMostSpecificMethod(declared, userClass);
        OrderedAsync annotation = annotationOf(method);
        if (annotation == null) {
            return null;
        }
        String where = "@OrderedAsync on " + describe(method);
        new OtherAnnotations(method, userClass, where).check(annotation.whenBusy());
        refuseWhatNoProxyIntercepts(method, where);
        ReturnKind returnKind = ReturnKind.of(method);
        return new OrderedAsyncOperation(method, annotation, submitters.of(annotation, method, where), returnKind);
    }

    /** Returns the annotated methods of a bean class, without a check. */
    static Set<Method> annotatedMethods(Class<?> beanClass) {
        return AnnotationUtils.isCandidateClass(beanClass, OrderedAsync.class)
                ? MethodIntrospector.selectMethods(
                        ClassUtils.getUserClass(beanClass), (Method method) -> annotationOf(method) != null)
                : Set.of();
    }

    /** Returns the annotation of a method, or of its type; null if there is none. */
    static @Nullable OrderedAsync annotationOf(Method method) {
        OrderedAsync annotation = AnnotatedElementUtils.findMergedAnnotation(method, OrderedAsync.class);
        return annotation == null && isCoveredByType(method)
                ? AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), OrderedAsync.class)
                : annotation;
    }

    private static boolean isCoveredByType(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !method.isSynthetic()
                && ReflectionUtils.findMethod(Object.class, method.getName(), method.getParameterTypes()) == null;
    }

    private static void refuseWhatNoProxyIntercepts(Method method, String where) {
        for (int kind : new int[] {Modifier.PRIVATE, Modifier.STATIC}) {
            if ((method.getModifiers() & kind) != 0) {
                throw new InvalidOrderedAsyncException(
                        where + ": a " + Modifier.toString(kind) + " method cannot be intercepted",
                        "Make it a public instance method, and call it from another bean.");
            }
        }
    }

    /**
     * Refuses final methods of beans whose proxy is a subclass. A subclass cannot override these methods, so their
     * calls would run on the caller's thread.
     */
    void refuseFinalMethods(Class<?> beanClass) {
        for (OrderedAsyncOperation operation : of(beanClass)) {
            if (Modifier.isFinal(operation.method().getModifiers())) {
                throw new InvalidOrderedAsyncException(
                        "@OrderedAsync on " + describe(operation.method())
                                + ": a final method cannot be intercepted by a class proxy",
                        "Remove final, or let the bean implement an interface with the method and set"
                                + " spring.aop.proxy-target-class=false.");
            }
        }
    }

    /** Refuses a final class if its proxy has to be a subclass. */
    void refuseFinalClass(Class<?> beanClass) {
        boolean proxiedByInterface = Proxy.isProxyClass(beanClass) || ClassUtils.isLambdaClass(beanClass);
        if (Modifier.isFinal(beanClass.getModifiers()) && !proxiedByInterface) {
            OrderedAsyncOperation first = of(beanClass).iterator().next();
            throw new InvalidOrderedAsyncException(
                    "@OrderedAsync on " + describe(first.method())
                            + ": the class is final, and cannot have a class proxy",
                    "Remove final, or let it implement an interface with the method and set"
                            + " spring.aop.proxy-target-class=false.");
        }
    }
}
