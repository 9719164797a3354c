package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Creates the {@link TaskSubmitter} of a method from the attributes of its annotation, and refuses attributes that
 * exclude each other.
 */
final class TaskSubmitterFactory {
    private final StandardEvaluationContext common = new StandardEvaluationContext();
    private final Predicate<String> beans;
    private final ConfigurableListableBeanFactory beanFactory;
    private final ExecutorBeans<StripedExecutor> striped;
    private final ExecutorBeans<GroupedExecutor> grouped;

    TaskSubmitterFactory(ConfigurableListableBeanFactory beanFactory) {
        common.setBeanResolver(new BeanFactoryResolver(beanFactory));
        this.beans = beanFactory::containsBean;
        this.beanFactory = beanFactory;
        this.striped = ExecutorBeans.striped(beanFactory);
        this.grouped = ExecutorBeans.grouped(beanFactory);
    }

    TaskSubmitter of(OrderedAsync annotation, Method method, String where) {
        KeyExpression stripe = expression(KeyAttribute.STRIPE, annotation.stripe(), method);
        KeyExpression groups = expression(KeyAttribute.GROUPS, annotation.groups(), method);
        KeyExpression shared = expression(KeyAttribute.SHARED, annotation.shared(), method);
        List<String> given = new ArrayList<>();
        for (KeyExpression expression : new KeyExpression[] {stripe, groups, shared}) {
            if (expression != null) {
                given.add(expression.attribute().toString());
            }
        }
        if (annotation.barrier()) {
            given.add("barrier");
        }
        if (given.isEmpty()) {
            throw nothingToOrderBy(method, where);
        }
        if (stripe != null && given.size() > 1) {
            throw stripeWith(String.join(" and ", given.subList(1, given.size())), where);
        }
        OrderedAsync.Mode whenBusy = annotation.whenBusy();
        refuseWithoutCollect(annotation, where);
        KeySpace space = KeySpace.of(annotation, where);
        Overflow overflow = overflowOf(annotation, where);
        if (stripe != null) {
            TaskSubmitter.ByStripe byStripe = new TaskSubmitter.ByStripe(
                    stripe, space, striped, striped.nameOf(annotation.executor(), where), whenBusy, overflow);
            return whenBusy == OrderedAsync.Mode.COLLECT
                    ? new CollectingSubmitter(byStripe, Collecting.of(annotation, method, where, beanFactory))
                    : byStripe;
        }
        if (whenBusy != OrderedAsync.Mode.QUEUE) {
            throw busyWith(whenBusy, String.join(" and ", given), where);
        }
        if (annotation.barrier() && given.size() > 1) {
            throw barrierWith(String.join(" and ", given.subList(0, given.size() - 1)), where);
        }
        return new TaskSubmitter.ByGroups(
                new GroupsExpression(groups, shared, space),
                grouped,
                grouped.nameOf(annotation.executor(), where),
                overflow);
    }

    /** Returns the overflow policy of a method; null for that of the executor. */
    private @Nullable Overflow overflowOf(OrderedAsync annotation, String where) {
        boolean blocks = annotation.overflow() == OrderedAsync.OverflowMode.BLOCK;
        String timeout = annotation.overflowTimeout();
        if (blocks && timeout.isEmpty()) {
            throw new InvalidOrderedAsyncException(
                    where + " has overflow = BLOCK without overflowTimeout, which lets callers wait without a limit",
                    "Add overflowTimeout = \"5s\", for instance.");
        }
        if (!blocks && !timeout.isEmpty()) {
            throw new InvalidOrderedAsyncException(
                    where + " has overflowTimeout without overflow = BLOCK, so its calls do not wait",
                    "Set overflow = BLOCK, or remove overflowTimeout.");
        }
        return switch (annotation.overflow()) {
            case OF_EXECUTOR -> null;
            case REJECT -> Overflow.reject();
            case BLOCK -> Overflow.block(new AttributeValues(beanFactory, where).duration("overflowTimeout", timeout));
            case DISCARD_OLDEST -> Overflow.discardOldest();
        };
    }

    /**
     * Returns the expression of an attribute, or null if the attribute is left out. A blank text does not count as left
     * out, and is refused.
     */
    private @Nullable KeyExpression expression(KeyAttribute attribute, String text, Method method) {
        return text.isEmpty() ? null : KeyExpression.of(attribute, text, method, common, beans);
    }

    private static InvalidOrderedAsyncException nothingToOrderBy(Method method, String where) {
        String parameter = new MethodParameters(method).example();
        return new InvalidOrderedAsyncException(
                where + " sets none of stripe, groups, shared and barrier, so its " + "calls have no order",
                "Give it " + KeyAttribute.STRIPE.example(parameter) + " if a call belongs to one thing; or "
                        + KeyAttribute.GROUPS.example(parameter) + " if it can touch several, and "
                        + KeyAttribute.SHARED.example(parameter) + " for those that it only reads.");
    }

    private static InvalidOrderedAsyncException stripeWith(String others, String where) {
        return new InvalidOrderedAsyncException(
                where + " has stripe together with " + others
                        + ", but a stripe is a group already: the only one that the call has",
                "Remove stripe and name its value among the groups, or remove " + others + ".");
    }

    private static InvalidOrderedAsyncException busyWith(OrderedAsync.Mode whenBusy, String others, String where) {
        return new InvalidOrderedAsyncException(
                where + " has whenBusy = " + whenBusy + " together with " + others
                        + ", but only a call with a stripe can do anything else than queue",
                "Remove whenBusy, or give it a stripe in place of " + others + ".");
    }

    private static void refuseWithoutCollect(OrderedAsync annotation, String where) {
        List<String> given = new ArrayList<>();
        if (!annotation.maxBatch().isEmpty()) {
            given.add("maxBatch");
        }
        if (!annotation.linger().isEmpty()) {
            given.add("linger");
        }
        if (!given.isEmpty() && annotation.whenBusy() != OrderedAsync.Mode.COLLECT) {
            throw new InvalidOrderedAsyncException(
                    where + " sets " + String.join(" and ", given) + " without whenBusy = COLLECT",
                    "Set whenBusy = COLLECT, or remove " + String.join(" and ", given) + ".");
        }
    }

    private static InvalidOrderedAsyncException barrierWith(String others, String where) {
        return new InvalidOrderedAsyncException(
                where + " has barrier together with " + others + ", but a barrier has all groups already",
                "Remove " + others + ", or remove barrier.");
    }
}
