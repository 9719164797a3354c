package io.orderedexecutor.test.spring;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Lets a test of a Spring application decide when calls of {@code @OrderedAsync} methods, and other tasks of
 * auto-configured ordered executors, run. The annotation works in a full context and in a test slice. Without it, a
 * slice configures no ordered executors, and such calls run at once on the thread of the caller.
 *
 * <pre>{@code
 * @WebMvcTest(OrdersController.class)
 * @Import(Orders.class)
 * @AutoConfigureOrderedExecutors
 * class OrdersControllerTest {
 *     ...
 * }
 * }</pre>
 *
 * <p>All executors of the context share one {@link io.orderedexecutor.test.SteppedExecutor}, which can be injected.
 * Test classes with different attributes do not share a context.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration(OrderedExecutorAutoConfiguration.class)
@Import(SteppedExecutorRegistrar.class)
public @interface AutoConfigureOrderedExecutors {

    /** When calls run. */
    enum Calls {

        /** A call has run when the annotated method returns to its caller. */
        INLINE,

        /** A call runs when the test steps it, in the order in which calls become ready. */
        STEPPED,

        /** A call runs when the test steps it, and any ready call may be the next one. */
        SEEDED
    }

    /**
     * When calls run. A test can change this by the methods {@code hold()}, {@code release()} and {@code seed(long)} of
     * the stepped executor.
     *
     * @return {@link Calls#INLINE} by default
     */
    Calls calls() default Calls.INLINE;

    /**
     * The seed of the random order of calls, for {@link Calls#SEEDED}.
     *
     * @return any number
     */
    long seed() default 0;

    /**
     * Whether tasks run on the thread that steps them or makes the call, instead of a thread of their own. Unlike in
     * production, they then see the transaction and the security context of that thread.
     *
     * @return false by default
     */
    boolean onCallingThread() default false;
}
