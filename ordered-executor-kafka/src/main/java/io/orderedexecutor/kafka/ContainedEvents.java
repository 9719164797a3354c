package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Passes events on, and catches the exceptions of their receiver: a failure of a meter must not affect records. The
 * first failure is logged.
 */
final class ContainedEvents implements ListenerEvents {
    private static final SafeLog logger = SafeLog.of(ContainedEvents.class);

    private final ListenerEvents events;
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    private ContainedEvents(ListenerEvents events) {
        this.events = events;
    }

    static ListenerEvents around(ListenerEvents events) {
        return events instanceof ContainedEvents ? events : new ContainedEvents(events);
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            if (hasFailed.compareAndSet(false, true)) {
                logger.error(
                        failure,
                        () -> "Counting or timing records failed; records go on. Later failures"
                                + " of this kind are not logged");
            }
        }
    }

    @Override
    public void assigned(String topic) {
        tell(() -> events.assigned(topic));
    }

    @Override
    public void ended(String topic, Outcome outcome) {
        tell(() -> events.ended(topic, outcome));
    }

    @Override
    public void deduplicated(String topic) {
        tell(() -> events.deduplicated(topic));
    }

    @Override
    public void retried(String topic) {
        tell(() -> events.retried(topic));
    }

    @Override
    public void committed(String topic, Duration took, boolean success) {
        tell(() -> events.committed(topic, took, success));
    }

    @Override
    public void drained(String topic, Duration took, boolean complete) {
        tell(() -> events.drained(topic, took, complete));
    }

    @Override
    public void metadata(String topic, int characters) {
        tell(() -> events.metadata(topic, characters));
    }
}
