package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.StripeSnapshot;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that shows the executors: how much they have to do, and which stripes have the most. Looking holds nothing
 * up. Stripes are the application's keys and can be sensitive, so they are masked unless the endpoint is told to show values.
 */
@Endpoint(id = "orderedexecutors", defaultAccess = Access.READ_ONLY)
public final class OrderedExecutorsEndpoint {
    private static final int DEFAULT_LIMIT = 10;
    private static final int MAX_LIMIT = 1000;

    private final Map<String, StripedExecutor> executors;
    private final Show showValues;

    /**
     * Creates an endpoint.
     *
     * @param executors the executors by name
     * @param showValues whether stripes are shown to callers without a security context, as over JMX
     */
    public OrderedExecutorsEndpoint(Map<String, StripedExecutor> executors, Show showValues) {
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
        executors.forEach((name, executor) -> summaries.put(name, new ExecutorSummary("striped", executor.stats())));
        return new ExecutorsDescriptor(summaries);
    }

    /**
     * Shows one executor.
     *
     * @param name its name
     * @param limit how many of the deepest stripes to show, 1 to 1000; 10 if it is null
     * @return the executor, or null if there is none of that name
     */
    @ReadOperation
    public @Nullable ExecutorDescriptor executor(@Selector String name, @Nullable Integer limit) {
        return executor(name, limit, showValues.isShown(true));
    }

    @Nullable
    ExecutorDescriptor executor(String name, @Nullable Integer limit, boolean showStripes) {
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (atMost < 1 || atMost > MAX_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "limit is " + atMost, "'limit' must be between 1 and " + MAX_LIMIT + ", but is " + atMost);
        }
        StripedExecutor executor = executors.get(name);
        if (executor == null) {
            return null;
        }
        List<StripeDescriptor> deepest = executor.deepestStripes(atMost).stream()
                .map(stripe -> StripeDescriptor.of(stripe, showStripes))
                .toList();
        return new ExecutorDescriptor(name, "striped", executor.stats(), deepest);
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
     * @param type {@code striped}
     * @param stats its figures
     */
    public record ExecutorSummary(String type, StripedExecutorStats stats) {}

    /**
     * One executor.
     *
     * @param name the name
     * @param type {@code striped}
     * @param stats its figures
     * @param deepestStripes the stripes with the most queued tasks, deepest first
     */
    public record ExecutorDescriptor(
            String name, String type, StripedExecutorStats stats, List<StripeDescriptor> deepestStripes) {}

    /**
     * A stripe.
     *
     * @param stripe the key as text, or {@code ******}
     * @param queued how many of its tasks have not started
     * @param active whether one of its tasks runs, or its stage is not complete
     */
    public record StripeDescriptor(String stripe, long queued, boolean active) {

        static StripeDescriptor of(StripeSnapshot snapshot, boolean show) {
            return new StripeDescriptor(
                    show ? textOf(snapshot.stripe()) : SanitizableData.SANITIZED_VALUE,
                    snapshot.queued(),
                    snapshot.active());
        }

        /** The key's own code may fail; what is left to see then is more useful than an error. */
        private static String textOf(Object stripe) {
            try {
                return String.valueOf(stripe);
            } catch (RuntimeException | StackOverflowError e) {
                return "<" + stripe.getClass().getName() + ", whose toString() throws "
                        + e.getClass().getName() + ">";
            }
        }
    }
}
