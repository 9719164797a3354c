package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of ordered executors, of {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync},
 * and of their drain on shutdown.
 *
 * <p>It is the one to name: other auto-configurations come after it, and tests import it. Those of meters, health,
 * endpoints and observations are not public; {@code excludeName} and {@code spring.autoconfigure.exclude} take their
 * names.
 */
// its post-processor comes first: the advice of ours is put in front of what is there
@AutoConfiguration(afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@ConditionalOnClass(OrderedExecutor.class)
@Import({SwitchedOnConfiguration.class, UnorderedMethodsConfiguration.class})
public final class OrderedExecutorAutoConfiguration {}
