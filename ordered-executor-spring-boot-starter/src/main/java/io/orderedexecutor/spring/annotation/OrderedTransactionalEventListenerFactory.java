package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.InvalidOrderedAsyncException.describe;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.spring.transaction.OrderedTransactionsPostProcessor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListenerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.util.StringUtils;

/**
 * Makes the listeners of methods that have both {@link TransactionalEventListener @TransactionalEventListener} and
 * {@link OrderedAsync @OrderedAsync}, for instance through {@link OrderedTransactionalEventListener}. The events of
 * these listeners get their places before the commit.
 */
final class OrderedTransactionalEventListenerFactory implements EventListenerFactory, Ordered {
    private static final Log logger = LogFactory.getLog(OrderedTransactionalEventListenerFactory.class);

    /** Before Spring's own factory, which has the order 50. */
    private static final int ORDER = 40;

    private final ConfigurableListableBeanFactory beanFactory;

    /** @param beanFactory has an {@link OrderedAsyncPostProcessor} */
    OrderedTransactionalEventListenerFactory(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public boolean supportsMethod(Method method) {
        TransactionalEventListener listener =
                AnnotatedElementUtils.findMergedAnnotation(method, TransactionalEventListener.class);
        if (listener == null) {
            return false;
        }
        boolean isOrdered = OrderedAsyncOperations.annotationOf(method) != null;
        if (!isOrdered
                && listener.phase() == TransactionPhase.AFTER_COMMIT
                && !Modifier.isPublic(method.getModifiers())
                && AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), OrderedAsync.class)) {
            logger.warn("@TransactionalEventListener on " + describe(method) + ": the method is not public, so the"
                    + " @OrderedAsync of its class does not cover it, and its events are handled in no order. Make it"
                    + " public, or annotate the method itself.");
        }
        return isOrdered;
    }

    @Override
    public ApplicationListener<?> createApplicationListener(String beanName, Class<?> type, Method method) {
        OrderedAsyncOperation operation = Objects.requireNonNull(
                beanFactory.getBean(OrderedAsyncPostProcessor.class).find(method, type), method::toString);
        String where = "@OrderedAsync on " + describe(operation.method());
        // if the proxy only implements an interface, the method of the interface need not have the annotation
        TransactionalEventListener listener = Objects.requireNonNull(
                AnnotatedElementUtils.findMergedAnnotation(operation.method(), TransactionalEventListener.class));
        if (listener.phase() != TransactionPhase.AFTER_COMMIT) {
            throw new InvalidOrderedAsyncException(
                    where + ": @TransactionalEventListener(phase = " + listener.phase()
                            + ") is not in the order of commits",
                    "Remove phase, for AFTER_COMMIT; or remove @OrderedAsync, and call an ordered method of another"
                            + " bean.");
        }
        Transactional transactional = transactionOf(operation.method(), type);
        refuseToJoin(transactional, where);
        refuseWhenBusy(operation.method(), where);
        refuseDiscardOldest(operation.submitter(), where);
        OrderedTransactionsPostProcessor transactions = listeningToManagers(where);
        refuseUnknownManager(transactional, type, where);
        return new OrderedTransactionalListener(beanName, type, method, operation, where, transactions);
    }

    private static @Nullable Transactional transactionOf(Method method, Class<?> type) {
        Transactional ofMethod = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
        return ofMethod != null ? ofMethod : AnnotatedElementUtils.findMergedAnnotation(type, Transactional.class);
    }

    /**
     * Refuses what Spring's own factory refuses. A pool may run the call on the thread that has committed, and what the
     * call writes in the transaction that has ended there has no commit.
     */
    private static void refuseToJoin(@Nullable Transactional transactional, String where) {
        if (transactional != null
                && transactional.propagation() != Propagation.REQUIRES_NEW
                && transactional.propagation() != Propagation.NOT_SUPPORTED) {
            throw new InvalidOrderedAsyncException(
                    where + ": @Transactional(propagation = " + transactional.propagation()
                            + ") may join the transaction that has just ended",
                    "Set propagation = REQUIRES_NEW or NOT_SUPPORTED on the method, or use"
                            + " @OrderedTransactionalEventListener, which contains the former.");
        }
    }

    /**
     * Refuses a method for whose transaction Spring does not find the manager that is named, or finds several. Spring
     * looks for the manager in each task, after the commit. Called when the managers exist, so that no lazy one is
     * created here.
     */
    private void refuseUnknownManager(@Nullable Transactional transactional, Class<?> type, String where) {
        if (transactional == null || !looksForManagers()) {
            return;
        }
        String named = transactional.transactionManager();
        String ofType = BeanFactoryAnnotationUtils.getQualifierValue(type);
        if (!named.isEmpty()) {
            if (!isManager(String.valueOf(beanFactory.resolveEmbeddedValue(named)))) {
                throw new InvalidOrderedAsyncException(
                        where + ": there is no transaction manager '" + named + "' for its transaction",
                        "Set transactionManager to the name of a bean that is a transaction manager.");
            }
        } else if (ofType == null || !isManager(ofType)) {
            refuseSeveralManagers(where);
        }
    }

    private boolean isManager(String qualifier) {
        try {
            BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, TransactionManager.class, qualifier);
            return true;
        } catch (NoSuchBeanDefinitionException none) {
            return false;
        }
    }

    private void refuseSeveralManagers(String where) {
        try {
            beanFactory.getBean(TransactionManager.class);
        } catch (NoUniqueBeanDefinitionException several) {
            throw new InvalidOrderedAsyncException(
                    where + ": there are several transaction managers for its transaction ("
                            + StringUtils.collectionToDelimitedString(several.getBeanNamesFound(), ", ")
                            + "), and none is primary",
                    "Set transactionManager to the name of one, or mark one with @Primary.");
        } catch (NoSuchBeanDefinitionException none) {
            // without a manager there are no transactions, and no events of them
            return;
        }
    }

    /**
     * Returns whether {@code @EnableTransactionManagement} makes the transactions of annotated methods, and nothing
     * says which manager they have by default. Of other declarations this is not known.
     */
    private boolean looksForManagers() {
        String[] names = beanFactory.getBeanNamesForType(TransactionAspectSupport.class, true, false);
        return names.length > 0 && Stream.of(names).allMatch(this::looksForManagers);
    }

    private boolean looksForManagers(String aspect) {
        return beanFactory.containsBeanDefinition(aspect)
                && String.valueOf(beanFactory.getMergedBeanDefinition(aspect).getFactoryBeanName())
                        .startsWith("org.springframework.transaction.")
                && beanFactory.getBean(aspect, TransactionAspectSupport.class).getTransactionManager() == null;
    }

    private static void refuseWhenBusy(Method method, String where) {
        OrderedAsync ordered = OrderedAsyncOperations.annotationOf(method);
        if (ordered != null && ordered.whenBusy() != OrderedAsync.Mode.QUEUE) {
            throw new InvalidOrderedAsyncException(
                    where + ": whenBusy = " + ordered.whenBusy() + " of a @TransactionalEventListener has no effect, as"
                            + " each event of a committed transaction has a place of its own",
                    "Remove whenBusy; or call an ordered method of another bean that has it.");
        }
    }

    private static void refuseDiscardOldest(TaskSubmitter submitter, String where) {
        if (submitter.overflow() instanceof Overflow.DiscardOldest) {
            throw new InvalidOrderedAsyncException(
                    where + ": the executor '" + submitter.executorReported().name()
                            + "' discards its oldest queued task when it is full, which may be an event of a committed"
                            + " transaction",
                    "Set its overflow to reject or block, or use another executor. With reject or block, the event is"
                            + " rejected at once if there is no room, since a transaction never waits for room.");
        }
    }

    /**
     * Returns the post-processor that reserves places, and registers it with all transaction managers, including those
     * of parent contexts, and those that were created before the post-processor.
     */
    private OrderedTransactionsPostProcessor listeningToManagers(String where) {
        OrderedTransactionsPostProcessor places = beanFactory
                .getBeanProvider(OrderedTransactionsPostProcessor.class)
                .getIfAvailable(() -> {
                    throw new InvalidOrderedAsyncException(
                            where + ": there is no bean that reserves places before a commit",
                            "Declare an " + OrderedTransactionsPostProcessor.class.getName()
                                    + " as a static bean method, as the auto-configuration does.");
                });
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beanFactory, PlatformTransactionManager.class, true, false)) {
            Object manager = beanFactory.getBean(name);
            if (!(manager instanceof ConfigurableTransactionManager)) {
                throw new InvalidOrderedAsyncException(
                        where + ": the transaction manager '" + name + "' ("
                                + manager.getClass().getName() + ") does not announce its commits",
                        "Let it implement " + ConfigurableTransactionManager.class.getName()
                                + ", as AbstractPlatformTransactionManager does.");
            }
            places.postProcessAfterInitialization(manager, name);
        }
        return places;
    }
}
