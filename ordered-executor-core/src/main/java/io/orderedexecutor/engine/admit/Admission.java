package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.run.Explainer;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.task.Completion;
import io.orderedexecutor.engine.task.Reasons.HeldUp;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.Wait;
import io.orderedexecutor.stats.Explanation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the room for one submission: all of it, or none. The place enters its orders afterwards, so a submission that
 * waits for room stands in no order.
 */
abstract class Admission implements HeldUp {
    private final Engine engine;
    private final Service service;

    /**
     * How often a submission looks for the oldest task, to drop it, before it pauses. There may be no task for a
     * moment: another submission has its room but not yet its place, or a task has started but not yet given back its
     * room. That takes a few instructions, unless the other thread has no core, or compares slots or batch keys, which
     * is code of the application and may take long.
     */
    private static final int LOOKS = 100;

    private static final long PAUSE_NANOS = 100_000;

    /** In the order in which they are taken; the room of the executor is the last one. */
    private final List<? extends Room> rooms;

    /** The room that the submitter last found full, or that it waits for; null before. Written by the submitter. */
    private volatile @Nullable Room full;

    Admission(Engine engine, List<? extends Room> rooms) {
        this.engine = engine;
        this.service = engine.service();
        this.rooms = rooms;
    }

    /**
     * Takes all room, or throws.
     *
     * @param ownOverflow the overflow of this submission; null for that of the executor
     */
    final void take(@Nullable Overflow ownOverflow) {
        Overflow policy = ownOverflow == null ? engine.settings.overflow() : ownOverflow;
        if (policy instanceof Overflow.Block block) {
            if (!tryTake()) {
                await(block.limit());
            }
            return;
        }
        boolean mayBeFree = policy instanceof Overflow.DiscardOldest;
        for (int looks = 1; !tryTake(); looks++) {
            Room room = fullOrThrow();
            Room tooFull = mayBeFree ? tooFullToDrop(room) : null;
            if (tooFull != null) {
                full = tooFull;
                throw refusal(", and the keys of this task have too few to drop" + remedy(ownOverflow), null);
            }
            // drop no task while other submissions wait for room: they would get its room
            if (!mayBeFree || isAwaited()) {
                throw refusal(remedy(ownOverflow), null);
            }
            if (!dropOldest(room)) {
                // if no task was dropped, take room once more: a thread may have freed some before this look
                mayBeFree = isFreeSoon(room);
                if (looks % LOOKS == 0) {
                    service.platform().parkNanos(this, PAUSE_NANOS);
                }
            }
            requireOpen();
        }
    }

    /**
     * A room that stays full even if this submission drops all tasks that it may drop; null if there is none. More
     * tasks may be queued than there is room for, since the capacity was lowered or tasks were put back.
     *
     * @param found the room that was found full: if one task has to go there, {@link #dropOldest} finds out whether
     *     there is one
     */
    private @Nullable Room tooFullToDrop(Room found) {
        for (Room room : rooms) {
            long missing = room.missing();
            // a task that is dropped in a key frees room in the executor, too
            boolean isOneEnough = !(room instanceof Room.OfKey) || room == found;
            if (missing > (isOneEnough ? 1 : 0)
                    && !isFreeSoon(room)
                    && !hasToDrop(room, missing)
                    // tasks may have started between the two looks
                    && room.missing() >= missing) {
                return room;
            }
        }
        return null;
    }

    private boolean isAwaited() {
        boolean isAwaited = false;
        for (int i = 0; i < rooms.size(); i++) {
            isAwaited |= rooms.get(i).isAwaited();
        }
        return isAwaited;
    }

    private boolean tryTake() {
        for (int i = 1; i < rooms.size(); i++) {
            // look first: a submission that is refused would take the room of its other keys for a moment, and keep
            // others out of it
            if (rooms.get(i) instanceof Room.OfKey inKey && inKey.missing() > 0) {
                return noteFull(inKey);
            }
        }
        for (int i = 0; i < rooms.size(); i++) {
            if (rooms.get(i).tryTake() == Room.NONE) {
                giveBack(i);
                return noteFull(rooms.get(i));
            }
        }
        return true;
    }

    private boolean noteFull(Room room) {
        full = room;
        onFull(room);
        return false;
    }

    /** Gives back all room, since the submission was not accepted after all. */
    final void giveBack() {
        giveBack(rooms.size());
    }

    private void giveBack(int taken) {
        for (int i = 0; i < taken; i++) {
            rooms.get(i).giveBackUnused();
        }
    }

    private void await(Duration limit) {
        Completion.followAll(service.lifecycle());
        if (service.lifecycle().isInsideTask()) {
            throw refusal("; a task of this executor does not wait for room: it might wait for its own end", null);
        }
        HeldUp before = Wait.beginForRoom(this);
        int taken = 0;
        try {
            long deadline =
                    service.platform().nanoTime() + Math.min(TimeUnit.NANOSECONDS.convert(limit), Long.MAX_VALUE / 2);
            for (Room room : rooms) {
                full = room;
                if (!room.take(deadline, () -> prepareToWait(room))) {
                    throw new TimeoutException();
                }
                room.keep(1);
                taken++;
            }
        } catch (TimeoutException noRoom) {
            requireOpen();
            throw refusal(", and no room became free within " + limit, null);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw refusal(", and the submitter was interrupted while it waited", interrupt);
        } finally {
            Wait.endForRoom(before);
            rooms.subList(0, taken).forEach(room -> room.keep(-1));
            if (taken < rooms.size()) {
                giveBack(taken);
            }
        }
    }

    private RejectedExecutionException refusal(String because, @Nullable Throwable cause) {
        Room room = fullOrThrow();
        boolean inExecutor = room == service.rooms().inExecutor();
        return engine.reports.rejected(
                inExecutor ? Count.CAPACITY : Count.KEY_CAPACITY,
                inExecutor
                        ? service.description() + " has no room: its capacity is " + room.size() + " queued tasks"
                                + because
                        : describe(room) + because,
                cause);
    }

    /**
     * Names the setting to raise. Also names other policies, if the executor rejects, and the submission has no policy
     * of its own.
     */
    private String remedy(@Nullable Overflow ownOverflow) {
        boolean mayChoose = ownOverflow == null && engine.settings.overflow() instanceof Overflow.Reject;
        String setting = fullOrThrow() == service.rooms().inExecutor() ? "capacity" : setting();
        return "; raise " + setting + (mayChoose ? ", or use " + others() : "");
    }

    private Room fullOrThrow() {
        return Objects.requireNonNull(full, "full");
    }

    /** Throws if the executor, or the output of this submission, accepts no more tasks. */
    abstract void requireOpen();

    /**
     * Called each time before the submitter parks, to help to make room. Returns false to end the wait: the executor
     * accepts tasks, but {@link #requireOpen} would throw, since the output is closed.
     */
    boolean prepareToWait(Room room) {
        return true;
    }

    /** The name of the setting for a room other than that of the executor. */
    abstract String setting();

    /** The names of the policies that may make or await room. */
    abstract String others();

    /** The message that a room other than that of the executor is full. */
    abstract String describe(Room room);

    /** The reason why submissions wait for a room other than that of the executor. */
    abstract Reason heldUpBy(Room room);

    /** Called when a room is full, to help to make room. */
    void onFull(Room room) {}

    /**
     * Cancels the oldest waiting task that may be dropped; false if there is none. Looks in the key that is full; if
     * the executor is full, in the keys of this submission, one after the other.
     */
    boolean dropOldest(Room room) {
        return false;
    }

    /** Whether so many tasks may be dropped to make room: in the key that is full, or in those of this submission. */
    boolean hasToDrop(Room room, long count) {
        return false;
    }

    /** Called when no task could be dropped. Returns whether there may be room, or a task to drop, in a moment. */
    boolean isFreeSoon(Room room) {
        return false;
    }

    @Override
    public final Reason heldUpBy() {
        Room room = full;
        if (room == null) {
            return Reason.NONE;
        }
        return room == service.rooms().inExecutor()
                ? new Reason(new Explanation.NoRoom(where(), room.size()), new Explainer.Full(service, where()))
                : heldUpBy(room);
    }
}
