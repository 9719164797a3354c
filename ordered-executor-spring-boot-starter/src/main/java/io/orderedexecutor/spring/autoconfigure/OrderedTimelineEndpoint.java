package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorsEndpointWebExtension.RefusalDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Actuator endpoint that records the events of the executors for some seconds, and returns them as a trace that
 * Perfetto and Chrome can show, with a track for each key. Only one recording runs at a time. The endpoint has no
 * access by default.
 */
@WebEndpoint(id = "orderedtimeline", defaultAccess = Access.NONE)
public final class OrderedTimelineEndpoint implements DisposableBean {
    private static final Duration DEFAULT = Duration.ofSeconds(5);
    private static final Duration MAX = Duration.ofSeconds(30);

    /** The maximum size of a recording; when it is reached, the oldest events are dropped. */
    private static final long MAX_BYTES = 32L << 20;

    private final Show showValues;
    private final Set<String> roles;
    private final Sanitizer sanitizer;

    /** The recording that runs, or that has ended and was not read yet; null if there is none. Guarded by this. */
    private @Nullable Recording recording;

    /** The last recording that was read. Guarded by this. */
    private @Nullable List<RecordedEvent> last;

    /**
     * Creates an endpoint.
     *
     * @param showValues when keys are shown
     * @param roles the roles that authorize a user; if empty, every authenticated user is authorized
     * @param sanitizingFunctions may change or mask keys that are shown
     */
    public OrderedTimelineEndpoint(
            Show showValues, Set<String> roles, Iterable<SanitizingFunction> sanitizingFunctions) {
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
        this.sanitizer = new Sanitizer(sanitizingFunctions);
    }

    /**
     * Creates the listener that makes an executor part of recordings.
     *
     * @param executorName the name of the executor
     * @param keys whether recordings contain keys and tasks as text; otherwise equal keys have equal numbers, and tasks
     *     only their class
     * @return a listener for that executor
     */
    public static TaskListener listener(String executorName, boolean keys) {
        return new Timeline(executorName, keys);
    }

    /**
     * Starts a recording.
     *
     * @param duration how long to record, such as {@code 5s}, at most 30 s; 5 s if it is null
     * @return the duration of the recording, or a refusal if another recording runs
     */
    @WriteOperation
    @RegisterReflectionForBinding({StartedDescriptor.class, RefusalDescriptor.class})
    WebEndpointResponse<?> start(@Nullable String duration) {
        return answer(() -> {
            Duration asked = Parameter.duration("duration", duration);
            Duration wanted = asked == null ? DEFAULT : asked;
            if (wanted.isZero() || wanted.isNegative() || wanted.compareTo(MAX) > 0) {
                throw Refusal.badRequest("'duration' must be more than zero and at most 30s, but is " + wanted);
            }
            record(wanted);
            return new WebEndpointResponse<>(new StartedDescriptor(wanted));
        });
    }

    private synchronized void record(Duration wanted) {
        if (recording != null && recording.getState() == RecordingState.RUNNING) {
            throw Refusal.conflict("A recording is running; wait until it is over");
        }
        close();
        Recording started = new Recording();
        started.setName("ordered executors");
        Trace.EVENTS.forEach(started::enable);
        started.setMaxSize(MAX_BYTES);
        started.setDuration(wanted);
        started.start();
        recording = started;
    }

    /**
     * Returns the last recording that has ended.
     *
     * @param securityContext identifies the caller
     * @return a trace in Chrome's format, or a refusal if there is none
     */
    @ReadOperation
    @RegisterReflectionForBinding({Trace.class, RefusalDescriptor.class})
    WebEndpointResponse<?> trace(SecurityContext securityContext) {
        return answer(() -> new WebEndpointResponse<>(
                Trace.of(events(), new Shown(sanitizer, showValues.isShown(securityContext, roles), false))));
    }

    private synchronized List<RecordedEvent> events() {
        if (recording != null && recording.getState() != RecordingState.RUNNING) {
            last = read(recording);
            close();
        }
        if (last == null) {
            throw Refusal.notFound(
                    recording == null
                            ? "Nothing was recorded; start a recording with a POST request"
                            : "The first recording is still running; ask again when it is over");
        }
        return last;
    }

    private static List<RecordedEvent> read(Recording recording) {
        try {
            Path file = Files.createTempFile("ordered-executors", ".jfr");
            try {
                recording.dump(file);
                return RecordingFile.readAllEvents(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The recording could not be read", e);
        }
    }

    private void close() {
        if (recording != null) {
            recording.close();
            recording = null;
        }
    }

    /** Ends a recording that runs. */
    @Override
    public synchronized void destroy() {
        close();
    }

    private static WebEndpointResponse<?> answer(Supplier<WebEndpointResponse<?>> request) {
        try {
            return request.get();
        } catch (Refusal refusal) {
            return new WebEndpointResponse<>(new RefusalDescriptor(refusal.message()), refusal.status());
        }
    }

    /**
     * A recording that has begun.
     *
     * @param duration how long it takes
     */
    record StartedDescriptor(Duration duration) {}
}
