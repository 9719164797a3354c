package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.lang.reflect.Method;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** Makes of the attributes of an annotation what its method's calls are ordered by, and refuses those that do not go together. */
final class Orderings {
    private final StandardEvaluationContext common = new StandardEvaluationContext();
    private final Predicate<String> beans;
    private final ExecutorBeans<StripedExecutor> striped;
    private final ExecutorBeans<GroupedExecutor> grouped;

    Orderings(ConfigurableListableBeanFactory beanFactory) {
        common.setBeanResolver(new BeanFactoryResolver(beanFactory));
        this.beans = beanFactory::containsBean;
        this.striped = ExecutorBeans.striped(beanFactory);
        this.grouped = ExecutorBeans.grouped(beanFactory);
    }

    Ordering of(OrderedAsync annotation, Method method, String where) {
        KeyExpression stripe = expression(Attribute.STRIPE, annotation.stripe(), method);
        KeyExpression groups = expression(Attribute.GROUPS, annotation.groups(), method);
        KeyExpression shared = expression(Attribute.SHARED, annotation.shared(), method);
        boolean hasGroups = groups != null || shared != null;
        if (stripe == null && !hasGroups) {
            throw nothingToOrderBy(method, where);
        }
        if (stripe == null) {
            return new Ordering.ByGroups(
                    new GroupsExpression(groups, shared), grouped, grouped.nameOf(annotation.executor(), where));
        }
        if (hasGroups) {
            throw twoKinds(groups != null, shared != null, where);
        }
        return new Ordering.ByStripe(stripe, striped, striped.nameOf(annotation.executor(), where));
    }

    /** An attribute that is left out is empty; one that is blank was meant to be something. */
    private @Nullable KeyExpression expression(Attribute attribute, String text, Method method) {
        return text.isEmpty() ? null : KeyExpression.of(attribute, text, method, common, beans);
    }

    private static InvalidOrderedAsyncException nothingToOrderBy(Method method, String where) {
        String parameter = new MethodParameters(method).example();
        return new InvalidOrderedAsyncException(
                where + " has neither stripe nor groups nor shared, so there is nothing to order its calls by",
                "Give it " + Attribute.STRIPE.example(parameter) + " if a call belongs to one thing; or "
                        + Attribute.GROUPS.example(parameter) + " if it can touch several, and "
                        + Attribute.SHARED.example(parameter) + " for those that it only reads.");
    }

    private static InvalidOrderedAsyncException twoKinds(boolean hasGroups, boolean hasShared, String where) {
        String ofGroups = hasGroups && hasShared ? "groups and shared" : hasGroups ? "groups" : "shared";
        return new InvalidOrderedAsyncException(
                where + " has stripe beside " + ofGroups
                        + ", but stripes are kept in order by a StripedExecutor and groups by a GroupedExecutor, which know nothing"
                        + " of each other",
                "Remove stripe, or remove " + ofGroups + "; a stripe can be one of the groups.");
    }
}
