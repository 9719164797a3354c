package io.orderedexecutor;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs what belongs to a test class, from the constructor on, on one virtual thread. What a test runs by hand then runs
 * on that thread, and {@link SameKind} makes all others virtual, too.
 */
final class OnVirtualThread implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(OnVirtualThread.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(NAMESPACE).put("thread", Executors.newSingleThreadExecutor(VirtualThreads.factory()));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        thread(context).shutdown();
    }

    private static ExecutorService thread(ExtensionContext context) {
        return context.getStore(NAMESPACE).get("thread", ExecutorService.class);
    }

    private static <T> T proceed(Invocation<T> invocation, ExtensionContext context) throws Throwable {
        Callable<T> body = () -> {
            try {
                return invocation.proceed();
            } catch (Exception | Error thrown) {
                throw thrown;
            } catch (Throwable other) {
                throw new AssertionError(other);
            }
        };
        Future<T> done = thread(context).submit(body);
        while (true) {
            try {
                return done.get();
            } catch (ExecutionException | CancellationException failed) {
                throw failed.getCause() == null ? failed : failed.getCause();
            } catch (InterruptedException timeout) {
                // the limit of the test: its thread has to hear of it, and says what it was doing
                done.cancel(true);
                throw timeout;
            }
        }
    }

    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation, ReflectiveInvocationContext<Constructor<T>> call, ExtensionContext context)
            throws Throwable {
        return proceed(invocation, context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }
}
