package io.orderedexecutor.test;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Runs a {@link SimulationTest} many times, each with an instance of its own. */
final class SimulationExtension implements InvocationInterceptor, ParameterResolver {

    /** The simulation of the current thread, for parameters of methods. */
    private static final ThreadLocal<@Nullable Simulation> CURRENT = new ThreadLocal<>();

    SimulationExtension() {
        TakeOver.begin();
    }

    // parameters

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Simulation.class;
    }

    /**
     * Returns the current simulation. If JUnit prepares its own call of the test method, returns a stand-in, since that
     * call is skipped.
     */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Simulation current = CURRENT.get();
        return current == null ? new Simulation(new Scheduler(new Choices.Given(List.of()))) : current;
    }

    // methods

    /** Skips the call, since these methods are part of each run. */
    @Override
    public void interceptBeforeEachMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context) {
        invocation.skip();
    }

    /** Skips the call, since these methods are part of each run. */
    @Override
    public void interceptAfterEachMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context) {
        invocation.skip();
        Method test = method.getExecutable();
        SimulationTest settings =
                AnnotationSupport.findAnnotation(test, SimulationTest.class).orElseThrow();
        if (!List.of(test.getParameterTypes()).contains(Simulation.class)) {
            throw new IllegalStateException("the test method " + test
                    + " has no parameter of type Simulation, so there is nothing to simulate");
        }
        SimulationRunner runner = SimulationRunner.named(
                        context.getRequiredTestClass().getName() + "." + test.getName())
                .runs(settings.runs())
                .seed(settings.seed())
                .strategy(settings.strategy())
                .preemptions(settings.preemptions())
                .blockedAfter(Duration.ofSeconds(settings.blockedAfter()));
        if (isOfSpring(context)) {
            runner.failingIfUnused(
                    "Calls of @OrderedAsync methods run on their callers, unordered, unless the context has"
                            + " the auto-configuration: let @SpringBootTest(classes = ...) name a class with"
                            + " @EnableAutoConfiguration that imports the beans, and inject these");
        }
        runner.run(simulation -> {
            simulation.faults(settings.faults());
            runOnce(simulation, context, test, method.getArguments());
        });
    }

    /** Returns whether this is a Spring test. Compares only names, since Spring may be missing. */
    private static boolean isOfSpring(ExtensionContext context) {
        return context.getRequiredTestInstances().getAllInstances().stream()
                .flatMap(instance ->
                        AnnotationSupport.findRepeatableAnnotations(instance.getClass(), ExtendWith.class).stream())
                .flatMap(extended -> Stream.of(extended.value()))
                .anyMatch(extension -> extension.getName().endsWith(".SpringExtension"));
    }

    private static void runOnce(Simulation simulation, ExtensionContext context, Method test, List<Object> arguments)
            throws Throwable {
        CURRENT.set(simulation);
        try {
            runOnce(simulation, newInstances(context), context, test, arguments);
        } finally {
            CURRENT.remove();
        }
    }

    /**
     * Runs the methods of one run as JUnit does: set-up from the outermost class to the innermost, and clean-up in any
     * case, after all that happens without the passage of time.
     */
    private static void runOnce(
            Simulation simulation,
            List<Object> instances,
            ExtensionContext context,
            Method test,
            List<Object> arguments)
            throws Throwable {
        Throwable failure = null;
        try {
            for (Object instance : instances) {
                invokeAll(BeforeEach.class, HierarchyTraversalMode.TOP_DOWN, instance, context);
            }
            Object[] values = arguments.stream()
                    .map(value -> value instanceof Simulation ? simulation : value)
                    .toArray();
            unwrapped(() -> ReflectionSupport.invokeMethod(test, instances.get(instances.size() - 1), values));
            simulation.advance(Duration.ZERO);
        } catch (Throwable thrown) {
            failure = thrown;
        }
        for (int i = instances.size() - 1; i >= 0; i--) {
            try {
                invokeAll(AfterEach.class, HierarchyTraversalMode.BOTTOM_UP, instances.get(i), context);
            } catch (Throwable thrown) {
                if (failure == null) {
                    failure = thrown;
                } else if (failure != thrown) {
                    failure.addSuppressed(thrown);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void invokeAll(
            Class<? extends java.lang.annotation.Annotation> annotation,
            HierarchyTraversalMode order,
            Object instance,
            ExtensionContext context) {
        for (Method found : AnnotationSupport.findAnnotatedMethods(instance.getClass(), annotation, order)) {
            context.getExecutableInvoker().invoke(found, instance);
        }
    }

    private interface Call {
        @Nullable
        Object call() throws Exception;
    }

    private static void unwrapped(Call call) throws Throwable {
        try {
            var unused = call.call();
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }

    // instances

    /** Returns new instances of the test class and of the classes around it, the outermost first. */
    private static List<Object> newInstances(ExtensionContext context) throws IllegalAccessException {
        List<Object> instances = new ArrayList<>();
        for (Object made : context.getRequiredTestInstances().getAllInstances()) {
            Class<?> type = made.getClass();
            Object[] outer = instances.isEmpty() ? new Object[0] : new Object[] {instances.get(instances.size() - 1)};
            if (type.getDeclaredConstructors()[0].getParameterCount() != outer.length) {
                throw new IllegalStateException("the test class " + type.getName()
                        + " has a constructor with parameters, which @SimulationTest cannot call for each run; have"
                        + " fields set instead");
            }
            Object instance = ReflectionSupport.newInstance(type, outer);
            for (Field field : injectable(type)) {
                if (isUnset(field.get(instance), field.getType())) {
                    field.set(instance, field.get(made));
                }
            }
            instances.add(instance);
        }
        return instances;
    }

    /** Returns whether a field has the value with which it is created: null, 0 or false. */
    private static boolean isUnset(@Nullable Object value, Class<?> type) {
        return value == null || (type.isPrimitive() && value.equals(Array.get(Array.newInstance(type, 1), 0)));
    }

    private static List<Field> injectable(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : Objects.requireNonNull(declaring).getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers)
                        && !Modifier.isFinal(modifiers)
                        && !field.isSynthetic()
                        && declaring != Object.class) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields;
    }
}
