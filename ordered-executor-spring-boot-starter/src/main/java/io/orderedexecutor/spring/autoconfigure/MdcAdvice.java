package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import io.orderedexecutor.spring.annotation.OrderedAsyncPostProcessor;
import java.util.List;
import java.util.Locale;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

/**
 * Logs at the start if the MDC of callers is not propagated to their calls although other contexts are.
 *
 * <p>Micrometer registers no accessor of the MDC by itself, and this library does not either: other libraries of the
 * application use the same registry. The check runs when all beans exist, since accessors may be registered until then.
 */
final class MdcAdvice implements SmartInitializingSingleton {
    private static final Log logger = LogFactory.getLog(MdcAdvice.class);

    private final ListableBeanFactory beanFactory;
    private final ObjectProvider<OrderedAsyncPostProcessor> annotated;

    MdcAdvice(ListableBeanFactory beanFactory, ObjectProvider<OrderedAsyncPostProcessor> annotated) {
        this.beanFactory = beanFactory;
        this.annotated = annotated;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean isAnyPropagated =
                beanFactory.getBeanNamesForType(ContextPropagatingTaskDecorator.class, true, false).length > 0;
        if (!isAnyPropagated || annotated.stream().noneMatch(OrderedAsyncPostProcessor::isUsed)) {
            return;
        }
        List<ThreadLocalAccessor<?>> accessors = ContextRegistry.getInstance().getThreadLocalAccessors();
        if (accessors.stream().noneMatch(MdcAdvice::isOfMdc)) {
            List<String> registered = accessors.stream()
                    .map(accessor -> accessor.key().toString())
                    .sorted()
                    .toList();
            logger.info("Calls of @OrderedAsync methods get the context of their callers, but not their MDC, as no"
                    + " ThreadLocalAccessor of it is registered ("
                    + (registered.isEmpty() ? "none is" : "registered are " + String.join(", ", registered))
                    + "). To propagate it, run this line before the application starts: "
                    + ContextRegistry.class.getName() + ".getInstance().registerThreadLocalAccessor(new "
                    + Slf4jThreadLocalAccessor.class.getName() + "());");
        }
    }

    /** Returns whether an accessor is for the MDC. An accessor of the application is recognized by its key. */
    private static boolean isOfMdc(ThreadLocalAccessor<?> accessor) {
        String key = accessor.key().toString().toLowerCase(Locale.ROOT);
        return accessor instanceof Slf4jThreadLocalAccessor || key.contains("mdc") || key.contains("slf4j");
    }
}
