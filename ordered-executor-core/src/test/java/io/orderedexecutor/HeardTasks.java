package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that remembers all that it hears. Tasks are told apart by identity. */
class HeardTasks implements TaskListener {

    enum Kind {
        QUEUED,
        STARTED,
        FINISHED,
        FAILED,
        REJECTED,
        DROPPED,
        CANCELLED,
        PARKED,
        RETRIED;

        boolean isEnd() {
            return this == FINISHED || this == FAILED || this == DROPPED || this == CANCELLED;
        }
    }

    /**
     * What was heard.
     *
     * @param nanos queued or run; -1 if there is none
     * @param failure also the reason of a rejection
     * @param failures of a retry
     * @param pause of a retry
     * @param thread that told it
     */
    record Event(
            Kind kind,
            Object stripe,
            Object task,
            long nanos,
            Throwable failure,
            int failures,
            Duration pause,
            Thread thread) {}

    private final Queue<Event> events = new ConcurrentLinkedQueue<>();

    /** For a subclass that throws, interrupts or submits. */
    void onEvent(Event event) {}

    private void add(
            Kind kind, Object stripe, Object task, long nanos, Throwable failure, int failures, Duration pause) {
        Event event = new Event(kind, stripe, task, nanos, failure, failures, pause, Thread.currentThread());
        events.add(event);
        onEvent(event);
    }

    @Override
    public void queued(Object stripe, Object task) {
        add(Kind.QUEUED, stripe, task, -1, null, 0, null);
    }

    @Override
    public void started(Object stripe, Object task, long nanosQueued) {
        add(Kind.STARTED, stripe, task, nanosQueued, null, 0, null);
    }

    @Override
    public void finished(Object stripe, Object task, long nanosRun) {
        add(Kind.FINISHED, stripe, task, nanosRun, null, 0, null);
    }

    @Override
    public void failed(Object stripe, Object task, long nanosRun, Throwable failure) {
        add(Kind.FAILED, stripe, task, nanosRun, failure, 0, null);
    }

    @Override
    public void rejected(Object stripe, Object task, Throwable reason) {
        add(Kind.REJECTED, stripe, task, -1, reason, 0, null);
    }

    @Override
    public void dropped(Object stripe, Object task) {
        add(Kind.DROPPED, stripe, task, -1, null, 0, null);
    }

    @Override
    public void cancelled(Object stripe, Object task) {
        add(Kind.CANCELLED, stripe, task, -1, null, 0, null);
    }

    @Override
    public void parked(Object stripe, Object task, Throwable failure) {
        add(Kind.PARKED, stripe, task, -1, failure, 0, null);
    }

    @Override
    public void retried(Object stripe, Object task, int failures, Duration pause, Throwable failure) {
        add(Kind.RETRIED, stripe, task, -1, failure, failures, pause);
    }

    List<Event> all() {
        return List.copyOf(events);
    }

    List<Kind> kindsOf(Object task) {
        return events.stream()
                .filter(event -> event.task == task)
                .map(Event::kind)
                .toList();
    }

    Event only(Kind kind, Object task) {
        List<Event> found = events.stream()
                .filter(event -> event.task == task && event.kind == kind)
                .toList();
        assertThat(found).as("%s of %s", kind, task).hasSize(1);
        return found.get(0);
    }

    long count(Kind kind) {
        return events.stream().filter(event -> event.kind == kind).count();
    }

    /** Asserts that of all tasks that were heard of as queued, each has one end, and each that was rejected none. */
    void assertOneEndEach(String context) {
        Map<Object, AtomicInteger> ends = new ConcurrentHashMap<>();
        for (Event event : events) {
            switch (event.kind) {
                case QUEUED -> ends.computeIfAbsent(event.task, task -> new AtomicInteger());
                case FINISHED, FAILED, DROPPED, CANCELLED ->
                    ends.computeIfAbsent(event.task, task -> new AtomicInteger())
                            .incrementAndGet();
                default -> {}
            }
        }
        for (Event event : events) {
            if (event.kind == Kind.REJECTED) {
                assertThat(ends).as("ends of a refused task; %s", context).doesNotContainKey(event.task);
            }
        }
        List<String> wrong = ends.entrySet().stream()
                .filter(entry -> entry.getValue().get() != 1)
                .limit(5)
                .map(entry -> entry.getKey() + " heard of as " + kindsOf(entry.getKey()))
                .toList();
        assertThat(wrong)
                .as("accepted tasks without exactly one end; %s", context)
                .isEmpty();
    }
}
