package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.Output;
import io.orderedexecutor.engine.run.Piece;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.engine.run.Slots;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.QueuedTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine of executors that work in parallel and write in order: the work of a piece conflicts with nothing, and
 * only its write has a turn.
 *
 * <p>A submitter first takes a place for a piece, then checks that the output is open, and only then lets the piece
 * start. So a thread that closes the output, and then takes a place itself, stands behind all accepted pieces.
 */
public final class OutputEngine extends Engine {
    private final int concurrency;
    private final AtomicLong names = new AtomicLong();

    /** Whether an age was ever asked for. Before that, a piece is timed only for listeners, or if it finds no other. */
    private volatile boolean areAgesWanted;

    /** Makes an engine. The key capacity in the settings is the default window of an output. */
    public OutputEngine(Settings settings, int concurrency, Workers workers, Runnable onTerminated) {
        super(settings, "ordered output", workers, onTerminated);
        this.concurrency = concurrency;
    }

    @Override
    Object targetOf(Place place) {
        return Objects.requireNonNullElse(place.targetOrNull(), TaskEvents.NO_KEY);
    }

    @Override
    @Nullable
    Order orderOf(Object key) {
        for (Order order : orders.all(this::isCounted)) {
            if (((Output<?>) order.key()).key() == key) {
                return order;
            }
        }
        return null;
    }

    @Override
    boolean hasTasks(Object key) {
        Order order = orderOf(key);
        return order != null && orders.under(order.bin(), () -> !order.isEmpty());
    }

    @Override
    boolean isCounted(Order order) {
        return order.key() instanceof Output && !order.isEmpty();
    }

    @Override
    Explanation.Place where() {
        return new Explanation.Place(service.name(), "output", null);
    }

    public int window() {
        return settings.keyCapacity();
    }

    /** The default of how many pieces of an output are worked on at once. */
    public int concurrency() {
        return concurrency;
    }

    /**
     * Opens an output.
     *
     * @param key the public object of the output, which stands for the output in statistics and for listeners
     */
    public <T extends @Nullable Object> Output<T> open(Object key, Output.Settings<T> settings) {
        String given = settings.name();
        return new Output<>(
                service, this::ageSince, key, given == null ? "output-" + names.incrementAndGet() : given, settings);
    }

    /** Throws if a task of this executor does what submits pieces and waits for them. */
    public void requireOutsideTasks(String does) {
        if (service.lifecycle().isInsideTask()) {
            throw new SelfWaitException("a task of " + service.description() + " cannot " + does
                    + " of the same executor: the pieces may need the thread of this task; do so on a thread that runs"
                    + " no task of the executor, or submit to an OrderedOutput and continue in a dependent action");
        }
    }

    // acceptance

    /**
     * Accepts a piece, or throws.
     *
     * @param ownOverflow the overflow of this submission; null for that of the executor
     */
    public void submit(Output<?> output, TaskFuture.Piece<?> task, @Nullable Overflow ownOverflow) {
        acceptAndTell(output.key(), task, () -> {
            admit(output, task, ownOverflow);
            return true;
        });
    }

    private void admit(Output<?> output, TaskFuture.Piece<?> task, @Nullable Overflow ownOverflow) {
        output.requireOpen();
        Room inExecutor = service.rooms().inExecutor();
        long before = output.window().tryTake();
        if (before == Room.NONE || (inExecutor != null && inExecutor.tryTake() == Room.NONE)) {
            if (before != Room.NONE) {
                output.window().giveBackUnused();
            }
            new OutputAdmission(output).take(ownOverflow);
            before = output.window().taken() - output.window().givenBack() - 1;
        }
        // negative if others have come and gone between the two reads
        boolean isFirst = before <= 0;
        boolean isTimed = isFirst || areAgesWanted || reports.events() != null;
        long now = isTimed ? service.platform().nanoTime() : 0;
        if (isFirst) {
            output.noteBusySince(now);
        }
        Piece piece = new Piece(task, orders, output, now);
        task.setPlace(piece);
        if (!orders.enter(piece, output)) {
            task.setPlace(null);
            new OutputAdmission(output).giveBack();
            throw rejectedByShutdown();
        }
        if (output.isClosed() && service.takingBack().takeBackOwn(piece, task)) {
            output.requireOpen();
        }
        try {
            handOverOrAwaitSlot(piece, output.slots());
        } catch (VirtualMachineError | LinkageError failure) {
            if (!piece.isTakenBack()) {
                orders.setBroken(failure);
            }
            throw failure;
        }
    }

    private void handOverOrAwaitSlot(Piece piece, @Nullable Slots slots) {
        if (slots == null) {
            piece.setStartable();
            service.dispatcher().handOver(piece);
        } else if (!slots.tryTake()) {
            slots.await(piece);
        } else if (piece.setStartable()) {
            service.dispatcher().handOver(piece);
        } else {
            slots.release();
        }
    }

    /** The room that a piece needs, in the window of its output and in the executor. */
    private final class OutputAdmission extends Admission {
        private final Output<?> output;

        OutputAdmission(Output<?> output) {
            super(
                    OutputEngine.this,
                    Stream.of(output.window(), service.rooms().inExecutor())
                            .filter(Objects::nonNull)
                            .toList());
            this.output = output;
        }

        @Override
        void requireOpen() {
            requireRunning();
            output.requireOpen();
        }

        @Override
        boolean prepareToWait(Room room) {
            return !output.isClosed();
        }

        @Override
        String setting() {
            return "window";
        }

        @Override
        String others() {
            return "Overflow.block";
        }

        @Override
        String describe(Room window) {
            return output.describe() + " has no room: its window is " + window.size()
                    + " pieces that are accepted and not written";
        }

        @Override
        public Explanation.Place where() {
            return output.where();
        }

        @Override
        Reason heldUpBy(Room window) {
            return new Reason(new Explanation.WindowFull(where(), window.size()), output.head());
        }
    }

    // observation

    /** Returns how much time has passed since a given moment. From the first call on, all new pieces are timed. */
    Duration ageSince(long time) {
        if (!areAgesWanted) {
            areAgesWanted = true;
        }
        return Duration.ofNanos(service.platform().nanoTime() - time);
    }

    /** The outputs that have pieces. */
    public List<Output<?>> busyOutputs() {
        List<Output<?>> busy = new ArrayList<>();
        for (Order order : orders.all(this::isCounted)) {
            busy.add((Output<?>) order.key());
        }
        return busy;
    }

    @Override
    public Explanation explain(Object key, boolean stacks) {
        Order order = orderOf(key);
        if (order == null) {
            return idle();
        }
        Output<?> output = (Output<?>) order.key();
        return explainOr(output.head(), stacks, Reasons.idle(output.where()));
    }

    /** Empty: pieces wait for a thread or for their turn, not for each other's tasks. */
    @Override
    List<QueuedTask> queuedTasks(int limit, BiFunction<Survey.Nearest, Place, @Nullable Set<Place>> placesBefore) {
        return List.of();
    }

    // control

    @Override
    public void pause(Object key) {
        throw new UnsupportedOperationException(service.description() + " cannot pause one of its outputs;"
                + " pause the executor, or stop submitting to the output");
    }

    @Override
    public void setKeyCapacity(int capacity) {
        throw new UnsupportedOperationException(service.description()
                + " has a window for each output, which is set when the output is opened, and no key capacity");
    }
}
