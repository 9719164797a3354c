package io.orderedexecutor.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes calls of a method tasks of a striped or a grouped executor: calls that belong to the same thing run one after
 * another, in the order in which they were made, and all others in parallel. The caller does not wait.
 *
 * <p>Most calls belong to one thing, their {@link #stripe}:
 *
 * <pre>{@code
 * @OrderedAsync(stripe = "#order.customerId")
 * public CompletableFuture<Receipt> book(Order order) { ... }
 * }</pre>
 *
 * <p>Calls that can touch several things name their {@link #groups}, and as {@link #shared} those that they only read.
 * Such a call waits for earlier calls that have one of its groups, and only later calls that have one of them wait for
 * it. Calls that share a group run concurrently.
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
 * {@code shared}, and {@code barrier} is to be given. A key is a key: a stripe is a group that a call has exclusively.
 * So calls with the stripe {@code "alice"}, calls with the group {@code "alice"} and barriers of one executor wait for
 * each other, and unless a method names another {@link #executor}, all methods have the same one.
 *
 * <p>On a type it holds for all public methods that the type and its subtypes declare, except those of {@link Object};
 * an annotation of the method itself replaces it. It can be used as a meta-annotation, with
 * {@link org.springframework.core.annotation.AliasFor @AliasFor} attributes. As with all of Spring's proxies, a call
 * within the same object ({@code this.book(order)}) is a plain call and takes no turn. No framework can see such a call
 * when it is made; ArchUnit's {@code ProxyRules} find it in the code.
 *
 * <p>With {@code ordered-executor.enabled=false} the annotation has no effect: calls then run on their callers'
 * threads, which wait, and calls that belong to the same thing may run at the same time.
 *
 * <h2>Return types</h2>
 *
 * <ul>
 *   <li>{@code void}: what the method throws, each time it does if it is run again, goes to the application's
 *       {@link org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler}, which is a bean of that type, or
 *       that of its {@link org.springframework.scheduling.annotation.AsyncConfigurer}, or one that logs.
 *   <li>{@link java.util.concurrent.CompletableFuture} or {@link java.util.concurrent.CompletionStage}: the stripe, or
 *       the groups, are held until the returned stage is complete; no thread is. The caller's future completes as the
 *       stage does.
 *   <li>{@link java.util.concurrent.Future}: the same if what is returned is a stage; otherwise it has to be done when
 *       the method returns it, since waiting for it would block a thread.
 * </ul>
 *
 * <p>Cancelling the caller's future before the method starts takes the task back. While the method runs,
 * {@code cancel(true)} interrupts its thread, and what waits for the call goes on when the method returns. A stage that
 * the method has returned, or returns then, is cancelled as well if it is a {@code Future}, and what waits for the call
 * goes on at once; return a {@link java.util.concurrent.CompletableFuture#copy() copy} of a stage that others have,
 * too. The shutdown of an executor that does not end in time cancels in the same way.
 *
 * <h2>Failures</h2>
 *
 * <p>What can be wrong with a declaration is found when the bean is created, and fails the start of the application: an
 * unknown variable or bean in an expression, no stripe, groups or barrier, a stripe together with groups,
 * {@link #whenBusy} without a stripe, a method that a proxy cannot intercept, another return type, {@code @Async} on
 * the same method, an executor that does not exist or is of the other kind. A call throws
 * {@link IllegalArgumentException} if its stripe or one of its groups is null, if it has no groups, or if an expression
 * cannot be evaluated, and {@link java.util.concurrent.RejectedExecutionException} if the executor refuses it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(KeyExpressionReflectiveProcessor.class)
public @interface OrderedAsync {

    /**
     * The key of the call: calls with equal values run one after another. A SpEL expression, evaluated on the thread of
     * the caller. Its variables are the arguments, by name ({@code #clientId}, {@code #order.customerId}) or by
     * position ({@code #p0}, {@code #a0}); a bean is referred to by its name after an at sign. Calls are of one stripe
     * if the values are equal, so the type needs {@code equals} and {@code hashCode}; an array has neither. A value
     * that its owner changes after the call, such as a list, is no longer found as the key that it was, and loses its
     * order: pass a copy.
     *
     * @return the expression; empty for a method that has groups
     */
    String stripe() default "";

    /**
     * The groups that the call has exclusively: no other call that has one of them runs at the same time. A SpEL
     * expression as {@link #stripe} is one. If its value is a collection or an array, as that of a list <code>
     * {#from, #to}</code> is, each element is a group; any other value is one. An element is one group whatever it is,
     * a {@link io.orderedexecutor.Key} for one of a space. Groups are compared by {@code equals}; one that is named
     * twice counts once.
     *
     * @return the expression; empty for a method that has a stripe, or shared groups only
     */
    String groups() default "";

    /**
     * The groups that the call shares: other calls that share them too may run at the same time. An expression as
     * {@link #groups} is one. A group that is among those as well is exclusive.
     *
     * @return the expression; empty for a method that has a stripe, or exclusive groups only
     */
    String shared() default "";

    /**
     * Whether the call has all groups: it runs alone, after all earlier calls of its executor, with whatever groups,
     * and before all later ones.
     *
     * @return true for a barrier
     */
    boolean barrier() default false;

    /**
     * The space of the stripe or the groups. It distinguishes keys of one executor that have equal values but mean
     * different things: with the space {@code "orders"} the value 42 is the key {@link io.orderedexecutor.Key#of
     * Key.of("orders", 42)}, which the methods of users with the number 42 do not see. The space is a plain text, not
     * an expression. Keys of different spaces do not wait for each other, nor do keys with a space and keys without
     * one. A barrier waits for the keys of all spaces.
     *
     * @return the space; empty for values that are keys themselves
     */
    String space() default "";

    /**
     * The bean that runs the calls: a {@link io.orderedexecutor.GroupedExecutor}, or for a method with a stripe a
     * {@link io.orderedexecutor.StripedExecutor}, which may be the stripes of a grouped one. Its name or qualifier, in
     * which placeholders (<code>${...}</code>) are resolved, or an expression (<code>#{...}</code>) whose value is such
     * a name or the executor itself. Evaluated once, at start-up.
     *
     * @return the bean; empty for the executor that is behind the beans {@code stripedExecutor} and
     *     {@code groupedExecutor}, unless the application has executors of its own: then for the only one of that kind,
     *     or the primary one
     */
    String executor() default "";

    /**
     * What a call does when the executor is full, in place of the overflow policy of the executor. For instance, a
     * method that a user waits for may reject, while a method of an import waits.
     *
     * @return what a call does when the executor is full
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
     * What a call does if its stripe is busy: if it has a call or another task that is queued or active, waits for a
     * retry or is parked, or if it is paused. Only a method with a stripe can have another value than {@code QUEUE}.
     *
     * @return what a call does if its stripe is busy
     */
    Mode whenBusy() default Mode.QUEUE;

    /**
     * How many elements the list of a {@link Mode#COLLECT collected} call has at most, from 1 to 1,000,000.
     * Placeholders (<code>${...}</code>) are resolved.
     *
     * @return a number; empty for 100
     */
    String maxBatch() default "";

    /**
     * For how long a {@link Mode#COLLECT collected} call waits for more when its turn has come, after the latest call
     * that it consists of: {@code 20ms} or {@code PT0.02S}. It waits ten times as long at most. Placeholders (<code>
     * ${...}</code>) are resolved.
     *
     * @return a duration; empty for none
     */
    String linger() default "";

    /**
     * What a call does if its stripe is busy. A call that is accepted always gets a run that starts after it: its own,
     * or that of the call that it was joined with or replaced by.
     */
    enum Mode {

        /** The call waits for its turn. */
        QUEUE,

        /**
         * It is joined with the calls of the same method that wait at the end of the stripe, if their other arguments
         * are equal: the method runs once, with one list of all their elements in order. The method must have exactly
         * one parameter of type {@link java.util.List}, and return {@code void}, {@code CompletableFuture<Void>} or
         * {@code CompletableFuture<List<R>>}, with one result for each element, of which each caller gets its part.
         *
         * <p>The list of one caller is never split. One that is null, empty or longer than {@link #maxBatch} is an
         * {@link IllegalArgumentException}. The method runs in the context (trace, MDC, security) of the first caller.
         * A failure concerns all callers. Cancelling the future of one takes its elements back as long as the call
         * waits; while it runs, its stage is cancelled only when all callers have cancelled.
         */
        COLLECT,

        /**
         * It replaces the waiting call of the same method, if no other task of the stripe was submitted in between. The
         * future of the replaced call is cancelled.
         */
        LATEST,

        /**
         * As {@link #LATEST}, and cancels the running call of the same method: its thread is interrupted, or the stage
         * that it has returned is cancelled. The new call starts when that one has ended.
         */
        INTERRUPT,

        /** It does not run: its future fails with a {@link io.orderedexecutor.TaskRefusedException}. */
        REFUSE
    }

    /** What a call does when the executor is full. */
    enum OverflowMode {

        /** The call does what the overflow policy of the executor says. */
        OF_EXECUTOR,

        /** The call throws a {@link java.util.concurrent.RejectedExecutionException}. */
        REJECT,

        /** The call waits for room for at most {@link #overflowTimeout}, and is rejected after that. */
        BLOCK,

        /** The call drops the oldest queued task of one of its keys, whose future is cancelled. */
        DISCARD_OLDEST
    }
}
