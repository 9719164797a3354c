package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of an {@link OrderedAsync @OrderedAsync} method that waits for its turn. An executor gives the call back if it
 * is shut down before the call has started. {@link #run()} makes the call at once on the current thread, in no order;
 * its failure goes to the {@link org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler}. {@code toString()}
 * returns the class, name and parameter types of the method.
 */
public interface OrderedAsyncCall extends Runnable {

    /**
     * Returns the method of the bean's class.
     *
     * @return the method that is called
     */
    Method method();

    /**
     * Returns the arguments of the call.
     *
     * @return the arguments, unmodifiable; elements may be null
     */
    List<@Nullable Object> arguments();
}
