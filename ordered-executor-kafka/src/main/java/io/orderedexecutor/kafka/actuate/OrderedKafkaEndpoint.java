package io.orderedexecutor.kafka.actuate;

import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import io.orderedexecutor.kafka.ParkedAction;
import io.orderedexecutor.kafka.PartitionSnapshot;
import io.orderedexecutor.kafka.PartitionSnapshot.RecordSnapshot;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows the partitions of ordered listeners and what holds them up, and ends the parking of
 * records if it is given unrestricted access. Keys and failure messages belong to the application. They are masked
 * unless the endpoint is configured to show values.
 */
@Endpoint(id = "orderedkafka", defaultAccess = Access.READ_ONLY)
public final class OrderedKafkaEndpoint {
    private final OrderedListeners listeners;
    private final Show showValues;
    private final Set<String> roles;
    private final Sanitizer sanitizer;

    /**
     * Creates an endpoint.
     *
     * @param listeners the listeners
     * @param showValues when values are shown
     * @param roles the roles that authorize a user; if empty, every authenticated user is authorized
     * @param sanitizingFunctions may change or mask values that are shown
     */
    public OrderedKafkaEndpoint(
            OrderedListeners listeners,
            Show showValues,
            Set<String> roles,
            Iterable<SanitizingFunction> sanitizingFunctions) {
        this.listeners = listeners;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
        this.sanitizer = new Sanitizer(sanitizingFunctions);
    }

    /**
     * Shows all ordered listeners.
     *
     * @param securityContext identifies the caller
     * @return the listeners by their ids
     */
    @ReadOperation
    public ListenersDescriptor listeners(SecurityContext securityContext) {
        Map<String, ListenerDescriptor> byId = new TreeMap<>();
        listeners.byId().forEach((id, container) -> byId.put(id, describe(container, isShownTo(securityContext))));
        return new ListenersDescriptor(byId);
    }

    /**
     * Shows one listener.
     *
     * @param securityContext identifies the caller
     * @param listener its id
     * @return the listener, or null if there is none of this id
     */
    @ReadOperation
    public @Nullable ListenerDescriptor listener(SecurityContext securityContext, @Selector String listener) {
        OrderedMessageListenerContainer<?, ?> container = listeners.byId().get(listener);
        return container == null ? null : describe(container, isShownTo(securityContext));
    }

    /**
     * Ends the parking of a record.
     *
     * @param listener the id of the listener
     * @param partition the partition, as {@code orders-3}
     * @param offset the offset of the parked record
     * @param action what to do with the record: {@code resume}, {@code dead-letter} or {@code skip}
     * @return the action
     * @throws InvalidEndpointRequestException if there is no such listener, no such record is parked here, or the
     *     action is not possible
     */
    @WriteOperation
    public ActionDescriptor act(
            @Selector String listener, @Selector String partition, @Selector long offset, ParkedAction action) {
        OrderedMessageListenerContainer<?, ?> container = listeners.byId().get(listener);
        if (container == null) {
            // an exception instead of null: Actuator would answer null with 204, a success
            String reason = "There is no ordered listener '" + listener + "'; there are "
                    + new TreeSet<>(listeners.byId().keySet());
            throw new InvalidEndpointRequestException(reason, reason);
        }
        boolean done;
        try {
            done = container.endParking(partitionOf(partition), offset, action);
        } catch (IllegalStateException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason, e);
        }
        if (!done) {
            String reason = "Nothing was done with the record of offset " + offset + " of " + partition
                    + " in listener '" + listener + "'. " + whyNot(container, partitionOf(partition), offset);
            throw new InvalidEndpointRequestException(reason, reason);
        }
        return new ActionDescriptor(
                listener,
                partition,
                offset,
                action.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    private static String whyNot(
            OrderedMessageListenerContainer<?, ?> container, TopicPartition partition, long offset) {
        Stream<RecordSnapshot> known = container.partitions().stream()
                .filter(each -> each.partition().equals(partition))
                .flatMap(each -> Stream.concat(Stream.ofNullable(each.oldest()), each.parked().stream()));
        return known.filter(record -> record.offset() == offset)
                .findFirst()
                .map(OrderedKafkaEndpoint::whyNot)
                .orElse("It is not parked here. Another instance may own the partition.");
    }

    private static String whyNot(RecordSnapshot record) {
        if (record.failure() == null) {
            return "It is " + record.state() + ", and not parked.";
        }
        return record.state().equals("parked")
                ? "It is parked, but its partition is being given up, or its dead letter was refused just now. "
                        + "If it stays parked, try again."
                : "It has failed and is " + record.state()
                        + ": it is retried or resumed, or its dead letter is being published.";
    }

    private static TopicPartition partitionOf(String text) {
        int dash = text.lastIndexOf('-');
        try {
            return new TopicPartition(text.substring(0, Math.max(dash, 0)), Integer.parseInt(text.substring(dash + 1)));
        } catch (NumberFormatException e) {
            String reason = "'" + text + "' is no partition; it looks like orders-3";
            throw new InvalidEndpointRequestException(reason, reason, e);
        }
    }

    private boolean isShownTo(SecurityContext securityContext) {
        return showValues.isShown(securityContext, roles);
    }

    private ListenerDescriptor describe(OrderedMessageListenerContainer<?, ?> container, boolean values) {
        Map<String, PartitionDescriptor> partitions = new TreeMap<>();
        container.partitions().stream()
                .sorted(Comparator.comparing(each -> each.partition().toString()))
                .forEach(each -> partitions.put(each.partition().toString(), describe(each, values)));
        return new ListenerDescriptor(container.getExecutor().name(), stateOf(container), partitions);
    }

    private static String stateOf(OrderedMessageListenerContainer<?, ?> container) {
        if (!container.isInExpectedState()) {
            return "failed";
        }
        return container.isRunning() ? "running" : "stopped";
    }

    private PartitionDescriptor describe(PartitionSnapshot partition, boolean values) {
        RecordSnapshot oldest = partition.oldest();
        return new PartitionDescriptor(
                partition.committed(),
                partition.watermark(),
                partition.next(),
                partition.unsettled(),
                partition.running(),
                partition.ahead(),
                partition.paused(),
                oldest == null ? null : describe(oldest, values),
                partition.parked().stream().map(each -> describe(each, values)).toList());
    }

    private RecordDescriptor describe(RecordSnapshot record, boolean values) {
        Throwable failure = record.failure();
        return new RecordDescriptor(
                record.offset(),
                sanitized("key", record.key(), Object::toString, values),
                record.state(),
                record.age().truncatedTo(ChronoUnit.MILLIS),
                record.attempts(),
                failure == null ? null : failure.getClass().getName(),
                sanitized("message", failure, Throwable::getMessage, values));
    }

    private <T> @Nullable Object sanitized(
            String name, @Nullable T value, Function<? super T, @Nullable String> asText, boolean values) {
        String text = value == null ? null : textOf(value, asText);
        return text == null
                ? null
                : sanitizer.sanitize(new SanitizableData(null, "orderedkafka." + name, text), values);
    }

    /** Returns a value of the application as text. A value that cannot be printed must not hide the record. */
    private static <T> @Nullable String textOf(T value, Function<? super T, @Nullable String> asText) {
        try {
            return asText.apply(value);
        } catch (Throwable unprintable) {
            return value.getClass().getName() + ", which cannot be printed";
        }
    }

    /**
     * All ordered listeners.
     *
     * @param listeners by their ids
     */
    public record ListenersDescriptor(Map<String, ListenerDescriptor> listeners) {}

    /**
     * One listener.
     *
     * @param executor the name of the executor that its records run on
     * @param state {@code running}, {@code stopped}, or {@code failed} if it has stopped itself
     * @param partitions its assigned partitions
     */
    public record ListenerDescriptor(String executor, String state, Map<String, PartitionDescriptor> partitions) {}

    /**
     * One partition.
     *
     * @param committed the committed offset, or -1 if none is known
     * @param watermark the offset before which everything is settled
     * @param next the offset after the last record that was handed out, or that the last owner had settled, whichever
     *     is higher
     * @param unsettled how many records were handed out and are not settled
     * @param running how many of them run
     * @param ahead how many offsets are settled beyond the committed one
     * @param paused whether the window is full
     * @param oldest the record that holds the commit back, or null
     * @param parked the parked records, and those whose refused dead letter is being published again
     */
    public record PartitionDescriptor(
            long committed,
            long watermark,
            long next,
            int unsettled,
            int running,
            long ahead,
            boolean paused,
            @Nullable RecordDescriptor oldest,
            List<RecordDescriptor> parked) {}

    /**
     * One record that is not settled.
     *
     * @param offset its offset
     * @param key its key, masked unless values are shown
     * @param state {@code queued}, {@code running}, {@code waiting} or {@code parked}, as in {@link RecordSnapshot}
     * @param age how long ago the record was handed out
     * @param attempts the number of attempts since the record was handed out, or since an operator resumed it
     * @param failure the class of its last failure, or null
     * @param message the message of its last failure, masked unless values are shown
     */
    public record RecordDescriptor(
            long offset,
            @Nullable Object key,
            String state,
            Duration age,
            int attempts,
            @Nullable String failure,
            @Nullable Object message) {}

    /**
     * The action that was carried out.
     *
     * @param listener the id of the listener
     * @param partition the partition
     * @param offset the offset
     * @param action what was done with the record: {@code resume}, {@code dead-letter} or {@code skip}
     */
    public record ActionDescriptor(String listener, String partition, long offset, String action) {}
}
