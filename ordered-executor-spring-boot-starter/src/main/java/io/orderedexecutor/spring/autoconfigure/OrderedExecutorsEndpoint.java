package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.AnyKeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ChangedExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExecutorSummary;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OrderedOutputExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OutputDescriptor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows the executors, their tasks and what holds these up. With unrestricted access, it also
 * steers the executors. Read operations do not hold the executors up. Keys, tasks, failure messages and stacks belong
 * to the application and can be sensitive, so they are masked unless the endpoint is configured to show values.
 *
 * <p>An invalid request is refused with an
 * {@link org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException}.
 */
@Endpoint(id = "orderedexecutors", defaultAccess = Access.READ_ONLY)
final class OrderedExecutorsEndpoint {
    private static final int DEFAULT_LIMIT = 10;
    private static final int MAX_LIMIT = 1000;

    private final Map<String, OrderedExecutor> executors;
    private final Function<String, List<String>> methods;
    private final Show showValues;
    private final Sanitizer sanitizer;

    /**
     * Creates an endpoint.
     *
     * @param executors the executors by name; implementations from outside this library are not shown
     * @param methods returns the annotated methods that the executor of a name keeps in order
     * @param showValues whether values are shown to callers without a security context, as over JMX
     * @param sanitizingFunctions may change or mask values that are shown
     */
    OrderedExecutorsEndpoint(
            Map<String, ? extends OrderedExecutor> executors,
            Function<String, List<String>> methods,
            Show showValues,
            Iterable<SanitizingFunction> sanitizingFunctions) {
        this.executors = Map.copyOf(executors);
        this.methods = methods;
        this.showValues = showValues;
        this.sanitizer = new Sanitizer(sanitizingFunctions);
    }

    /**
     * Lists the executors.
     *
     * @return all executors, by name
     */
    @ReadOperation
    ExecutorsDescriptor executors() {
        Map<String, ExecutorSummary> summaries = new TreeMap<>();
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                summaries.put(name, managed.summary());
            }
        });
        return new ExecutorsDescriptor(summaries);
    }

    /**
     * Shows one executor.
     *
     * @param name its name
     * @param limit the maximum length of each list (deepest keys, running, parked and queued tasks), 1 to 1000; 10 if
     *     it is null
     * @param stacks whether to show the stacks of running tasks and of failures
     * @return the executor
     */
    @ReadOperation
    ExecutorDescriptor executor(@Selector String name, @Nullable Integer limit, @Nullable Boolean stacks) {
        return executor(name, limit, stacks, showValues.isShown(true));
    }

    // the types are found only at run time, through the interfaces of the descriptors
    @RegisterReflectionForBinding({
        KeyedExecutorDescriptor.class,
        OrderedOutputExecutorDescriptor.class,
        KeyDescriptor.class,
        OutputDescriptor.class
    })
    ExecutorDescriptor executor(String name, @Nullable Integer limit, @Nullable Boolean stacks, boolean values) {
        return find(name).describe(methods.apply(name), checked(limit), shown(stacks, values));
    }

    /**
     * Shows one key or output. The request is refused unless the endpoint shows values.
     *
     * @param name the name of its executor
     * @param key the key as text, in pieces that slashes separate
     * @param limit the maximum length of each list (running, parked and queued tasks), 1 to 1000; 10 if it is null
     * @param stacks whether to show the stacks of running tasks and of failures
     * @return the key or output
     */
    @ReadOperation
    AnyKeyDescriptor key(
            @Selector String name,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] key,
            @Nullable Integer limit,
            @Nullable Boolean stacks) {
        return key(name, key, limit, stacks, showValues.isShown(true));
    }

    AnyKeyDescriptor key(String name, String[] key, @Nullable Integer limit, @Nullable Boolean stacks, boolean values) {
        ManagedExecutor managed = find(name);
        requireShown(managed, values, "shown");
        int atMost = checked(limit);
        String text = String.join("/", key);
        AnyKeyDescriptor found = managed.describeKey(KeyLookup.find(managed, text), atMost, shown(stacks, values));
        if (found == null) {
            throw Refusal.notFound("The " + managed.key() + " '" + text + "' has just ended");
        }
        return found;
    }

    /**
     * Changes settings of an executor, or pauses or resumes it. A null parameter changes nothing. If one of the changes
     * cannot be made, none is made.
     *
     * @param name its name
     * @param action {@code pause} or {@code resume}
     * @param threads the new maximum number of its own threads
     * @param capacity how many tasks may be queued in all
     * @param keyCapacity how many tasks may be queued in each key
     * @return the executor after the change
     */
    @WriteOperation
    ChangedExecutorDescriptor change(
            @Selector String name,
            @Nullable String action,
            @Nullable Integer threads,
            @Nullable Integer capacity,
            @Nullable Integer keyCapacity) {
        ManagedExecutor managed = find(name);
        new ExecutorChange(Action.ofExecutor(action), threads, capacity, keyCapacity).applyTo(managed);
        return new ChangedExecutorDescriptor(managed.state(), managed.describeSettings());
    }

    /**
     * Steers one key that has tasks or is paused. The request is refused unless the endpoint shows values.
     *
     * @param name the name of its executor
     * @param key the key as text, in pieces that slashes separate
     * @param action {@code pause}; {@code resume}, which also runs the parked task of the key again; or {@code skip},
     *     which gives the parked task up
     * @return the key after the change; null if it has no tasks any more and is not paused
     */
    @WriteOperation
    @Nullable
    AnyKeyDescriptor steer(
            @Selector String name,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] key,
            @Nullable String action) {
        return steer(name, key, action, showValues.isShown(true));
    }

    @Nullable
    AnyKeyDescriptor steer(String name, String[] key, @Nullable String action, boolean values) {
        ManagedExecutor managed = find(name);
        Action wanted = Action.ofKey(action);
        if (wanted == null) {
            throw Refusal.badRequest("'action' is missing; it must be pause, resume or skip");
        }
        requireShown(managed, values, "paused, resumed or skipped");
        Object found = KeyLookup.find(managed, String.join("/", key));
        wanted.applyTo(managed, found);
        return managed.describeKey(found, DEFAULT_LIMIT, shown(null, values));
    }

    /** Requires that values are shown: access to single keys would let a caller guess which keys exist. */
    private static void requireShown(ManagedExecutor managed, boolean values, String what) {
        if (!values) {
            throw Refusal.forbidden("Single " + managed.keys() + " are not " + what
                    + ", since values of the application are not shown;"
                    + " see management.endpoint.orderedexecutors.show-values");
        }
    }

    /**
     * Formats a part of an explanation for the log. Many people may read the log, so values are masked unless they are
     * shown to everybody.
     *
     * @param kind the kind of the part, such as {@code task}
     * @param value the part
     * @return the text, masked unless values are shown to all
     */
    String textForAll(String kind, Object value) {
        return ShownExplanation.text(kind, value, shown(null, showValues.isShown(false)));
    }

    private ManagedExecutor find(String name) {
        OrderedExecutor executor = executors.get(name);
        ManagedExecutor managed = executor == null ? null : ManagedExecutor.of(name, executor);
        if (managed == null) {
            throw Refusal.notFound("No ordered executor is named '" + name + "'; there are "
                    + String.join(", ", executors().executors().keySet()));
        }
        return managed;
    }

    private static int checked(@Nullable Integer limit) {
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (atMost < 1 || atMost > MAX_LIMIT) {
            throw Refusal.badRequest("'limit' must be between 1 and " + MAX_LIMIT + ", but is " + atMost);
        }
        return atMost;
    }

    private Shown shown(@Nullable Boolean stacks, boolean values) {
        return new Shown(sanitizer, values, Boolean.TRUE.equals(stacks));
    }

    /**
     * All executors.
     *
     * @param executors by name
     */
    record ExecutorsDescriptor(Map<String, ExecutorSummary> executors) {}
}
