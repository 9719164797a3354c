package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorStats;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorStats;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that shows the executors: how much they have to do, and which stripes or groups have the most. Looking holds
 * nothing up. Stripes and groups are the application's keys and can be sensitive, so they are masked unless the endpoint is told to
 * show values.
 */
// what is shown is found through the interfaces of the descriptors at run time only
@RegisterReflectionForBinding({
    OrderedExecutorsEndpoint.StripedExecutorDescriptor.class,
    OrderedExecutorsEndpoint.GroupedExecutorDescriptor.class
})
@Endpoint(id = "orderedexecutors", defaultAccess = Access.READ_ONLY)
public final class OrderedExecutorsEndpoint {
    private static final int DEFAULT_LIMIT = 10;
    private static final int MAX_LIMIT = 1000;

    private final Map<String, OrderedExecutor> executors;
    private final Show showValues;

    /**
     * Creates an endpoint.
     *
     * @param executors the executors by name; those that are neither striped nor grouped are not shown
     * @param showValues whether stripes and groups are shown to callers without a security context, as over JMX
     */
    public OrderedExecutorsEndpoint(Map<String, ? extends OrderedExecutor> executors, Show showValues) {
        this.executors = Map.copyOf(executors);
        this.showValues = showValues;
    }

    /**
     * Lists the executors.
     *
     * @return all of them, by name
     */
    @ReadOperation
    public ExecutorsDescriptor executors() {
        Map<String, ExecutorSummary> summaries = new TreeMap<>();
        executors.forEach((name, executor) -> {
            ExecutorKind kind = ExecutorKind.of(executor);
            if (kind != null) {
                summaries.put(name, new ExecutorSummary(kind.type(), executor.stats()));
            }
        });
        return new ExecutorsDescriptor(summaries);
    }

    /**
     * Shows one executor.
     *
     * @param name its name
     * @param limit how many of the deepest stripes or groups to show, 1 to 1000; 10 if it is null
     * @return the executor, or null if there is none of that name
     */
    @ReadOperation
    public @Nullable ExecutorDescriptor executor(@Selector String name, @Nullable Integer limit) {
        return executor(name, limit, showValues.isShown(true));
    }

    @Nullable
    ExecutorDescriptor executor(String name, @Nullable Integer limit, boolean showKeys) {
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (atMost < 1 || atMost > MAX_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "limit is " + atMost, "'limit' must be between 1 and " + MAX_LIMIT + ", but is " + atMost);
        }
        OrderedExecutor executor = executors.get(name);
        if (executor instanceof StripedExecutor striped) {
            return StripedExecutorDescriptor.of(name, striped, atMost, showKeys);
        }
        if (executor instanceof GroupedExecutor grouped) {
            return GroupedExecutorDescriptor.of(name, grouped, atMost, showKeys);
        }
        return null;
    }

    /**
     * All executors.
     *
     * @param executors by name
     */
    public record ExecutorsDescriptor(Map<String, ExecutorSummary> executors) {}

    /**
     * One of all executors.
     *
     * @param type {@code striped} or {@code grouped}
     * @param stats its figures
     */
    public record ExecutorSummary(String type, OrderedExecutorStats stats) {}

    /** One executor. */
    public sealed interface ExecutorDescriptor {}

    /**
     * One striped executor.
     *
     * @param name the name
     * @param type {@code striped}
     * @param stats its figures
     * @param deepestStripes the stripes with the most queued tasks, deepest first
     */
    public record StripedExecutorDescriptor(
            String name, String type, StripedExecutorStats stats, List<StripeDescriptor> deepestStripes)
            implements ExecutorDescriptor {

        static StripedExecutorDescriptor of(String name, StripedExecutor executor, int limit, boolean show) {
            List<StripeDescriptor> deepest = executor.deepestStripes(limit).stream()
                    .map(stripe ->
                            new StripeDescriptor(ShownKey.of(stripe.stripe(), show), stripe.queued(), stripe.active()))
                    .toList();
            return new StripedExecutorDescriptor(name, ExecutorKind.STRIPED.type(), executor.stats(), deepest);
        }
    }

    /**
     * One grouped executor.
     *
     * @param name the name
     * @param type {@code grouped}
     * @param stats its figures
     * @param deepestGroups the groups with the most queued tasks, deepest first
     */
    public record GroupedExecutorDescriptor(
            String name, String type, GroupedExecutorStats stats, List<GroupDescriptor> deepestGroups)
            implements ExecutorDescriptor {

        static GroupedExecutorDescriptor of(String name, GroupedExecutor executor, int limit, boolean show) {
            List<GroupDescriptor> deepest = executor.deepestGroups(limit).stream()
                    .map(group -> new GroupDescriptor(
                            ShownKey.of(group.group(), show), group.queued(), group.active(), group.paused()))
                    .toList();
            return new GroupedExecutorDescriptor(name, ExecutorKind.GROUPED.type(), executor.stats(), deepest);
        }
    }

    /**
     * A stripe.
     *
     * @param stripe the key as text, or {@code ******}
     * @param queued how many of its tasks have not started
     * @param active whether one of its tasks runs, or its stage is not complete
     */
    public record StripeDescriptor(String stripe, long queued, boolean active) {}

    /**
     * A group.
     *
     * @param group the key as text, a path with slashes between its elements, or {@code ******}
     * @param queued how many tasks that have it, or a group below it, have not started
     * @param active how many of them run, or their stage is not complete
     * @param paused whether it is paused
     */
    public record GroupDescriptor(String group, long queued, long active, boolean paused) {}
}
