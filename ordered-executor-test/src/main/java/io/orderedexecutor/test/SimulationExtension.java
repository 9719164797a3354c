package io.orderedexecutor.test;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

    /** The simulation that the current thread sets up, for parameters. */
    private static final ThreadLocal<@Nullable Simulation> CURRENT = new ThreadLocal<>();

    SimulationExtension() {
        TakeOver.begin();
    }

    // parameters

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Simulation.class;
    }

    /** A stand-in where JUnit prepares the method that is then run in another way. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Simulation current = CURRENT.get();
        return current == null ? new Simulation(new Scheduler(new Choices.Given(List.of()))) : current;
    }

    // methods

    /** They are part of each run. */
    @Override
    public void interceptBeforeEachMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context) {
        invocation.skip();
    }

    /** They are part of each run. */
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
        SimulationRunner.named(context.getRequiredTestClass().getName() + "." + test.getName())
                .runs(settings.runs())
                .seed(settings.seed())
                .strategy(settings.strategy())
                .preemptions(settings.preemptions())
                .blockedAfter(Duration.ofSeconds(settings.blockedAfter()))
                .run(simulation -> {
                    simulation.faults(settings.faults());
                    runOnce(simulation, context, test, method.getArguments());
                });
    }

    private static void runOnce(Simulation simulation, ExtensionContext context, Method test, List<Object> arguments)
            throws Throwable {
        CURRENT.set(simulation);
        try {
            Object instance = newInstance(context);
            try {
                invokeAll(BeforeEach.class, HierarchyTraversalMode.TOP_DOWN, instance, context);
                Object[] values = arguments.stream()
                        .map(value -> value instanceof Simulation ? simulation : value)
                        .toArray();
                unwrapped(() -> ReflectionSupport.invokeMethod(test, instance, values));
            } finally {
                invokeAll(AfterEach.class, HierarchyTraversalMode.BOTTOM_UP, instance, context);
            }
        } finally {
            CURRENT.remove();
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

    private static Object newInstance(ExtensionContext context) throws IllegalAccessException {
        Class<?> type = context.getRequiredTestClass();
        Object made = context.getRequiredTestInstance();
        Object instance =
                context.getTestInstances().orElseThrow().getEnclosingInstances().isEmpty()
                        ? ReflectionSupport.newInstance(type, constructorArguments(type))
                        : ReflectionSupport.newInstance(
                                type,
                                context.getTestInstances()
                                        .orElseThrow()
                                        .getEnclosingInstances()
                                        .get(0));
        for (Field field : injectable(type)) {
            if (field.get(instance) == null) {
                field.set(instance, field.get(made));
            }
        }
        return instance;
    }

    private static Object[] constructorArguments(Class<?> type) {
        if (type.getDeclaredConstructors()[0].getParameterCount() == 0) {
            return new Object[0];
        }
        throw new IllegalStateException("the test class " + type.getName()
                + " has a constructor with parameters, which @SimulationTest cannot call for each run; have fields set"
                + " instead");
    }

    private static List<Field> injectable(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : Objects.requireNonNull(declaring).getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers)
                        && !Modifier.isFinal(modifiers)
                        && !field.getType().isPrimitive()
                        && declaring != Object.class) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields;
    }
}
