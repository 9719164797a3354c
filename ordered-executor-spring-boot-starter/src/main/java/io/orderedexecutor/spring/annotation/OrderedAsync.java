package io.orderedexecutor.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes the calls of a method tasks of a striped or a grouped executor. Calls that belong to the same thing run one
 * after another, in the order in which they were made, and all others run in parallel. The caller does not wait.
 *
 * <p>Most calls belong to one thing, their {@link #stripe}:
 *
 * <pre>{@code
 * @OrderedAsync(stripe = "#order.customerId")
 * public CompletableFuture<Receipt> book(Order order) { ... }
 * }</pre>
 *
 * <p>Calls that can touch several things name them as their {@link #groups}, and the things that they only read as
 * {@link #shared}. Such a call waits for earlier calls that have one of its groups, and only later calls that have one
 * of its groups wait for it. Calls that only share groups run concurrently.
 *
 * <pre>{@code
 * @OrderedAsync(groups = "{#from, #to}")
 * public CompletableFuture<Receipt> transfer(String from, String to, int amount) { ... }
 *
 * @OrderedAsync(shared = "#account")
 * public CompletableFuture<Statement> statement(String account) { ... }
 * }</pre>
 *
 * <p>A call that must not run concurrently with any other of its executor, such as the close of a business day, is a
 * {@link #barrier}.
 *
 * <p>A method has a stripe, or it has groups, or it is a barrier: exactly one of {@code stripe}, {@code groups} with
 * {@code shared}, and {@code barrier} must be given. A stripe is the same as a group that a call has exclusively. So
 * calls with the stripe {@code "alice"}, calls with the group {@code "alice"} and barriers wait for each other, if they
 * have the same executor. All methods have the same executor unless they name another {@link #executor}.
 *
 * <p>On a type, the annotation applies to all public methods that the type and its subtypes declare, except those of
 * {@link Object}. An annotation on the method itself replaces that of the type. The annotation can be a
 * meta-annotation, with {@link org.springframework.core.annotation.AliasFor @AliasFor} attributes. As with all of
 * Spring's proxies, a call within the same object ({@code this.book(order)}) is a plain call and is not ordered. No
 * framework can detect such a call at run time, but ArchUnit's {@code ProxyRules} find it in the code.
 *
 * <p>With {@code ordered-executor.enabled=false} the annotation has no effect: calls then run on their callers'
 * threads, which wait, and calls that belong to the same thing may run at the same time.
 *
 * <h2>Return types</h2>
 *
 * <ul>
 *   <li>{@code void}: each exception of the method, including those of retries, goes to the application's
 *       {@link org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler}. This is a bean of that type, or that
 *       of the {@link org.springframework.scheduling.annotation.AsyncConfigurer}, or else one that logs.
 *   <li>{@link java.util.concurrent.CompletableFuture} or {@link java.util.concurrent.CompletionStage}: the call holds
 *       its stripe or its groups, but no thread, until the returned stage is complete. The caller's future completes as
 *       the stage does.
 *   <li>{@link java.util.concurrent.Future}: the same if the returned future is a stage. Any other future must be done
 *       when the method returns it, since waiting for it would block a thread.
 * </ul>
 *
 * <p>If the caller's future is cancelled before the method starts, the call does not run. While the method runs,
 * {@code cancel(true)} interrupts its thread, and calls that wait for this one start when the method returns. If the
 * stage that the method has returned, or then returns, is a {@code Future}, it is cancelled as well, and the waiting
 * calls start at once. If other code uses the same stage, return a {@link java.util.concurrent.CompletableFuture#copy()
 * copy}. An executor that does not end in time at a shutdown cancels its calls in the same way.
 *
 * <h2>Failures</h2>
 *
 * <p>Mistakes in a declaration are found when the bean is created, and fail the start of the application: an unknown
 * variable or bean in an expression, no stripe, groups or barrier, a stripe together with groups, {@link #whenBusy}
 * without a stripe, a method that a proxy cannot intercept, another return type, {@code @Async} on the same method, an
 * executor that does not exist or is of the other kind. A call throws {@link IllegalArgumentException} if its stripe or
 * one of its groups is null, if it has no groups, or if an expression cannot be evaluated, and
 * {@link java.util.concurrent.RejectedExecutionException} if the executor refuses it. An exception of a method that an
 * expression calls may reach the caller unchanged.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(KeyExpressionReflectiveProcessor.class)
public @interface OrderedAsync {

    /**
     * The key of the call: calls with equal values run one after another. This is a SpEL expression, evaluated on the
     * thread of the caller. Its variables are the arguments, by name ({@code #clientId}, {@code #order.customerId}) or
     * by position ({@code #p0}, {@code #a0}); a bean is referred to by its name after an at sign. Calls belong to one
     * stripe if the values are equal, so the type needs {@code equals} and {@code hashCode}; an array has neither. If a
     * value, such as a list, may change after the call, pass a copy: a changed value is a different key, and the order
     * is lost.
     *
     * @return the expression; empty for a method that has groups
     */
    String stripe() default "";

    /**
     * The groups that the call has exclusively: no other call that has one of them runs at the same time. This is a
     * SpEL expression, as for {@link #stripe}. If its value is a collection or an array, such as the list <code>
     * {#from, #to}</code>, each element is a group. Any other value is a single group. An element is always a single
     * group, whatever its type; use a {@link io.orderedexecutor.Key} for a group in a space. Groups are compared by
     * {@code equals}; a group that is named twice counts once.
     *
     * @return the expression; empty for a method that has a stripe, or shared groups only
     */
    String groups() default "";

    /**
     * The groups that the call shares: other calls that share them too may run at the same time. This is an expression,
     * as for {@link #groups}. A group that is also among the {@link #groups} is exclusive.
     *
     * @return the expression; empty for a method that has a stripe, or exclusive groups only
     */
    String shared() default "";

    /**
     * Whether the call has all groups: it runs alone, after all earlier calls of its executor and before all later
     * ones, whatever their groups.
     *
     * @return true for a barrier
     */
    boolean barrier() default false;

    /**
     * The space of the stripe or the groups. It distinguishes keys of one executor that have equal values but mean
     * different things: with the space {@code "orders"} the value 42 is the key {@link io.orderedexecutor.Key#of
     * Key.of("orders", 42)}, which is not the key of methods that use 42 for a user. The space is a plain text, not an
     * expression. Keys of different spaces do not wait for each other, nor do keys with a space and keys without one. A
     * barrier waits for the keys of all spaces.
     *
     * @return the space; empty for values that are keys themselves
     */
    String space() default "";

    /**
     * The bean that runs the calls: a {@link io.orderedexecutor.GroupedExecutor}, or for a method with a stripe a
     * {@link io.orderedexecutor.StripedExecutor}, which may be the stripes of a grouped one. The value is its name or
     * qualifier, in which placeholders (<code>${...}</code>) are resolved, or an expression (<code>#{...}</code>) for
     * such a name or for the executor itself. It is evaluated once, at start-up.
     *
     * @return the bean; empty for the default executor, which is behind the beans {@code stripedExecutor} and
     *     {@code groupedExecutor}. If the application defines executors of its own, empty stands for the only or the
     *     primary executor of that kind
     */
    String executor() default "";

    /**
     * The overflow policy of the calls, in place of that of the executor: what a call does when the executor, or one of
     * the keys of the call, is full. For instance, a method that a user waits for may reject, while a method of an
     * import waits.
     *
     * @return what a call does when there is no room
     */
    OverflowMode overflow() default OverflowMode.OF_EXECUTOR;

    /**
     * How long a call waits for room with {@link OverflowMode#BLOCK}: {@code 5s} or {@code PT5S}. Placeholders (<code>
     * ${...}</code>) are resolved.
     *
     * @return a duration; empty unless calls wait
     */
    String overflowTimeout() default "";

    /**
     * What a call does if its stripe is busy. A stripe is busy if it or its executor is paused, if a place in it is
     * reserved, or if one of its calls or other tasks (barriers count) is queued, active or parked, or waits for a
     * retry. Only a method with a stripe can have a value other than {@code QUEUE}.
     *
     * @return what a call does if its stripe is busy
     */
    Mode whenBusy() default Mode.QUEUE;

    /**
     * The maximum number of elements in the list of a {@link Mode#COLLECT collected} call, from 1 to 1,000,000.
     * Placeholders (<code>${...}</code>) are resolved.
     *
     * @return a number; empty for 100
     */
    String maxBatch() default "";

    /**
     * How long a {@link Mode#COLLECT collected} call, when its turn has come, waits for further calls after the latest
     * one: {@code 20ms} or {@code PT0.02S}. In all, it waits at most ten times as long. Placeholders (<code>
     * ${...}</code>) are resolved.
     *
     * @return a duration; empty for none
     */
    String linger() default "";

    /**
     * What a call does if its stripe is busy. After each accepted call, there is a run of the method that starts later
     * than the call was made: its own run, or that of the call that it was joined with or replaced by.
     */
    enum Mode {

        /** The call waits for its turn. */
        QUEUE,

        /**
         * The call is joined with the calls of the same method that wait at the end of the stripe, if their other
         * arguments are equal. The method runs once, with one list of all their elements in order. The method must have
         * exactly one parameter of type {@link java.util.List}, and return {@code void}, or a {@code CompletableFuture}
         * or {@code CompletionStage} of {@code Void} or of {@code List<R>}, with one result for each element. Each
         * caller gets its part of the results.
         *
         * <p>The list of one caller is never split. A list that is null, empty or longer than {@link #maxBatch} causes
         * an {@link IllegalArgumentException}. The method runs in the context (trace, MDC, security) of the first
         * caller. A failure concerns all callers. If a caller cancels its future while the call waits, its elements are
         * removed. While the method runs, its stage is cancelled only when all callers have cancelled.
         */
        COLLECT,

        /**
         * The call replaces the waiting call of the same method, if no other task of the stripe was submitted in
         * between. The future of the replaced call is cancelled.
         */
        LATEST,

        /**
         * Like {@link #LATEST}, but also cancels the running call of the same method: its thread is interrupted, or the
         * stage that it has returned is cancelled. A call of the same method that waits for a retry is cancelled at
         * once. The new call starts when the cancelled one has ended.
         */
        INTERRUPT,

        /**
         * The call does not run: its future fails with a {@link io.orderedexecutor.TaskRefusedException}. A call of a
         * {@code void} method returns normally.
         */
        REFUSE
    }

    /** What a call does when the executor, or one of its keys, is full. */
    enum OverflowMode {

        /** The overflow policy of the executor applies. */
        OF_EXECUTOR,

        /** The call throws a {@link java.util.concurrent.RejectedExecutionException}. */
        REJECT,

        /**
         * The call waits for room for at most {@link #overflowTimeout}, and is rejected after that. Within a task of
         * the same executor, or while a transaction completes, it does not wait, and is rejected at once.
         */
        BLOCK,

        /**
         * The call drops the oldest queued task of each of its keys that is full, or of one of its keys if the executor
         * is full. The future of a dropped task is cancelled. If there is no task to drop, or if other calls wait for
         * the room, the call is rejected.
         */
        DISCARD_OLDEST
    }
}
