package io.orderedexecutor.spring.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * Checks the other annotations of an ordered method. Many of them take the return of the method for the end of the
 * call, although the call may not even have started then. Annotations of optional libraries are looked up by name.
 */
final class OtherAnnotations {
    private static final Log logger = LogFactory.getLog(OtherAnnotations.class);

    /**
     * Annotations whose containers wait for the future that a listener returns. The containers look at the declared
     * type.
     */
    private static final List<String> ACKNOWLEDGE_BY_FUTURE = List.of(
            "org.springframework.kafka.annotation.KafkaListener",
            "org.springframework.kafka.annotation.KafkaHandler",
            "org.springframework.amqp.rabbit.annotation.RabbitListener",
            "org.springframework.amqp.rabbit.annotation.RabbitHandler",
            "io.awspring.cloud.sqs.annotation.SqsListener",
            "io.awspring.cloud.sqs.annotation.SqsHandler");

    /** An annotation whose containers take a returned future for the payload of a reply. */
    private static final String ACKNOWLEDGES_ON_RETURN = "org.springframework.jms.annotation.JmsListener";

    private static final String MODULE_LISTENER = "org.springframework.modulith.events.ApplicationModuleListener";

    private static final List<String> CHECK_THE_RESULT = List.of(
            "org.springframework.security.access.prepost.PostAuthorize",
            "org.springframework.security.access.prepost.PostFilter");

    private static final List<String> CALLED_PAST_THE_PROXY =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private final Method method;
    private final String where;
    private final MergedAnnotations onMethod;
    private final MergedAnnotations onType;

    /** @param where the method, for messages */
    OtherAnnotations(Method method, Class<?> beanClass, String where) {
        this.method = method;
        this.where = where;
        this.onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        this.onType = MergedAnnotations.from(beanClass, SearchStrategy.TYPE_HIERARCHY);
    }

    /**
     * Refuses annotations that exclude ordered methods, and warns of annotations that seldom have the intended effect.
     */
    void check(OrderedAsync.Mode whenBusy) {
        refuseAsync();
        refuseBean();
        refuseCallbacks();
        refuseListeners();
        refuseChecksOfTheResult();
        if (whenBusy == OrderedAsync.Mode.QUEUE) {
            warnOfSchedule();
        }
    }

    private void refuseAsync() {
        boolean isOnMethod = onMethod.isPresent(Async.class);
        if (isOnMethod || onType.isPresent(Async.class)) {
            boolean isOfModulith = onMethod.isPresent(MODULE_LISTENER);
            throw new InvalidOrderedAsyncException(
                    where + ": @" + (isOfModulith ? "ApplicationModuleListener, which contains @Async," : "Async")
                            + " on the same " + (isOnMethod ? "method" : "type")
                            + " hands the call to an executor that keeps no order",
                    isOfModulith
                            ? "Use @OrderedTransactionalEventListener in place of both: it contains"
                                    + " @TransactionalEventListener, @OrderedAsync and a transaction of its own."
                            : "Remove @Async; @OrderedAsync alone makes the method asynchronous.");
        }
    }

    private void refuseBean() {
        if (onMethod.isPresent(Bean.class)) {
            throw new InvalidOrderedAsyncException(
                    where + ": a @Bean method makes a bean, and its calls are not the calls of that bean",
                    "Annotate the methods of the class that the bean is an instance of.");
        }
    }

    private void refuseCallbacks() {
        for (String callback : CALLED_PAST_THE_PROXY) {
            if (onMethod.isPresent(callback)) {
                throw new InvalidOrderedAsyncException(
                        where + ": Spring calls a @" + ClassUtils.getShortName(callback)
                                + " method past the proxy, on its own thread and in no order",
                        "Call it from another bean, or let it listen with @EventListener to ApplicationReadyEvent or"
                                + " ContextClosedEvent: such a call is ordered.");
            }
        }
    }

    private void refuseListeners() {
        if (onMethod.isPresent(ACKNOWLEDGES_ON_RETURN)) {
            throw acknowledgesTooEarly(
                    ACKNOWLEDGES_ON_RETURN,
                    "Move @OrderedAsync to a method of another bean that returns CompletableFuture, and join() "
                            + "its result"
                            + " in the listener. The container does not wait for a future.");
        }
        if (method.getReturnType() == CompletableFuture.class) {
            return;
        }
        for (String listener : ACKNOWLEDGE_BY_FUTURE) {
            if (onMethod.isPresent(listener)) {
                throw acknowledgesTooEarly(
                        listener,
                        "Return CompletableFuture: the container then acknowledges a message when its call has ended."
                                + (listener.contains(".kafka.")
                                        ? " Or use @OrderedByKey of ordered-executor-kafka instead of @OrderedAsync."
                                        : ""));
            }
        }
    }

    private InvalidOrderedAsyncException acknowledgesTooEarly(String listener, String fix) {
        return new InvalidOrderedAsyncException(
                where + ": @" + ClassUtils.getShortName(listener)
                        + " acknowledges a message when the method returns, which is when the call is queued. A "
                        + "message whose"
                        + " call fails, or has not ended when the application ends, would be lost",
                fix);
    }

    private void refuseChecksOfTheResult() {
        for (String check : CHECK_THE_RESULT) {
            if (onMethod.isPresent(check) || onType.isPresent(check)) {
                throw new InvalidOrderedAsyncException(
                        where + ": @" + ClassUtils.getShortName(check)
                                + " looks at the result of the method, which the caller does not wait for",
                        "Decide before the call, with @PreAuthorize, or annotate a method that the ordered one calls on"
                                + " another bean.");
            }
        }
    }

    /**
     * Warns of a schedule: the scheduler takes the return of the method for the end of the call, so it never delays the
     * next call.
     */
    private void warnOfSchedule() {
        for (String kind : List.of("fixedDelay", "fixedRate", "cron")) {
            if (onMethod.stream(Scheduled.class).anyMatch(schedule -> repeats(schedule, kind))) {
                logger.warn(where + " is @Scheduled(" + kind + "), but "
                        + (kind.equals("fixedDelay")
                                ? "the delay begins when the call is queued, not when it has ended"
                                : "the next call is made whether or not this one has ended")
                        + ": calls that take longer than the time between them queue up without a limit. Give it a"
                        + " stripe and whenBusy = REFUSE, which leaves out calls that come too early, or LATEST; or"
                        + " schedule a method of another bean that calls this one and waits for its future.");
                return;
            }
        }
    }

    private static boolean repeats(MergedAnnotation<Scheduled> schedule, String kind) {
        if (kind.equals("cron")) {
            String cron = schedule.getString(kind);
            return !cron.isEmpty() && !cron.equals(Scheduled.CRON_DISABLED);
        }
        return schedule.getLong(kind) >= 0
                || !schedule.getString(kind + "String").isEmpty();
    }
}
