package io.orderedexecutor.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Handles events of a transaction after its commit, one after another for each key, in the order of the commits, on a
 * thread of an ordered executor and in a transaction of its own.
 *
 * <pre>{@code
 * @OrderedTransactionalEventListener(stripe = "#event.orderId")
 * public void publish(OrderChanged event) { ... }
 * }</pre>
 *
 * <p>If two transactions lock the same row or version before they commit, their events of one key are handled in the
 * order of the two commits. To ensure this, the place of an event is reserved directly before the commit, and used
 * after it. If the executor has no room or is shut down, the transaction rolls back, and its caller gets a
 * {@link java.util.concurrent.RejectedExecutionException}. The transaction never waits for room. An event of a
 * transaction that rolls back, also to a savepoint, is not handled.
 *
 * <p>This annotation means the same as {@link TransactionalEventListener @TransactionalEventListener},
 * {@link OrderedAsync @OrderedAsync} and {@code @Transactional(propagation = REQUIRES_NEW)} on one method. Use these
 * three to set attributes that this annotation does not have.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TransactionalEventListener
@OrderedAsync
@Transactional(propagation = Propagation.REQUIRES_NEW)
public @interface OrderedTransactionalEventListener {

    /**
     * The key of the event: events with equal values are handled one after another.
     *
     * @return an expression over the parameters; empty for a method that has groups
     * @see OrderedAsync#stripe()
     */
    @AliasFor(annotation = OrderedAsync.class)
    String stripe() default "";

    /**
     * The groups that the event touches exclusively.
     *
     * @return an expression over the parameters; empty for a method that has a stripe, or shared groups only
     * @see OrderedAsync#groups()
     */
    @AliasFor(annotation = OrderedAsync.class)
    String groups() default "";

    /**
     * The groups that the event shares.
     *
     * @return an expression over the parameters; empty for a method that has a stripe, or exclusive groups only
     * @see OrderedAsync#shared()
     */
    @AliasFor(annotation = OrderedAsync.class)
    String shared() default "";

    /**
     * The space of the stripe or the groups.
     *
     * @return the space; empty for values that are keys themselves
     * @see OrderedAsync#space()
     */
    @AliasFor(annotation = OrderedAsync.class)
    String space() default "";

    /**
     * The bean that runs the method.
     *
     * @return its name; empty for the default
     * @see OrderedAsync#executor()
     */
    @AliasFor(annotation = OrderedAsync.class)
    String executor() default "";

    /**
     * Which events are handled.
     *
     * @return a SpEL expression, evaluated when the event is published; empty for all events
     * @see TransactionalEventListener#condition()
     */
    @AliasFor(annotation = TransactionalEventListener.class)
    String condition() default "";

    /**
     * The types of the events.
     *
     * @return the types; empty for that of the parameter
     * @see TransactionalEventListener#classes()
     */
    @AliasFor(annotation = TransactionalEventListener.class)
    Class<?>[] classes() default {};

    /**
     * Whether an event that is published without a transaction is handled. The place of such an event in the order is
     * that of its publication.
     *
     * @return true to handle such an event, false to ignore it
     * @see TransactionalEventListener#fallbackExecution()
     */
    @AliasFor(annotation = TransactionalEventListener.class)
    boolean fallbackExecution() default false;

    /**
     * The transaction manager of the transaction in which the event is handled. The transaction of the event itself may
     * have another one.
     *
     * @return the name or a qualifier of its bean; empty for the one that {@code @Transactional} uses by default. If
     *     there are several managers and none is the default, the start fails
     * @see Transactional#transactionManager()
     */
    @AliasFor(annotation = Transactional.class)
    String transactionManager() default "";

    /**
     * The id of the listener.
     *
     * @return the id; empty for one made of the method
     * @see TransactionalEventListener#id()
     */
    @AliasFor(annotation = TransactionalEventListener.class)
    String id() default "";
}
