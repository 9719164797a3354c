package io.orderedexecutor.engine.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a thread, first come, first served. Any thread may add, and any may take.
 *
 * <p>The elements are in the slots of arrays that are linked to each other. A thread that adds gets a slot by atomic
 * addition, and so does one that takes; so neither has to try again because others do the same, and no object is made
 * for each. See FAAArrayQueue by Pedro Ramalhete and Andreia Correia. A slot goes from
 *
 * <pre>
 *   null ──▶ an element    added
 *   null ──▶ TAKEN         by one who came to take before the one who was to add; who then adds to another slot
 *   an element ──▶ TAKEN   taken, in turn or out of turn
 * </pre>
 *
 * <p>{@link #isEmpty()} and {@link #poll()} find whatever was added before they were called and is not taken.
 *
 * @param <E> the kind of element
 */
final class ReadyQueue<E> {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle ADDED;
    private static final VarHandle TAKEN_SLOTS;
    private static final VarHandle NEXT;
    private static final VarHandle FIRST;
    private static final VarHandle LAST;
    private static final Object TAKEN = new Object();
    private static final int FIRST_SLOTS = 8;
    private static final int MOST_SLOTS = 256;

    static {
        try {
            var lookup = MethodHandles.lookup();
            ADDED = lookup.findVarHandle(Block.class, "added", int.class);
            TAKEN_SLOTS = lookup.findVarHandle(Block.class, "taken", int.class);
            NEXT = lookup.findVarHandle(Block.class, "next", Block.class);
            FIRST = lookup.findVarHandle(ReadyQueue.class, "first", Block.class);
            LAST = lookup.findVarHandle(ReadyQueue.class, "last", Block.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static class Taking {
        /** How many slots have been given to those who take, and more. Changed by atomic addition. */
        volatile int taken;
    }

    @SuppressWarnings("unused") // keeps those who add and those who take from writing to the same cache line
    private static class Gap extends Taking {
        long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
    }

    private static final class Block extends Gap {
        /** How many slots have been given to those who add, and more. Changed by atomic addition. */
        volatile int added;

        /** Set by compare-and-set when the slots are used up; the block itself when {@link #first} has moved on. */
        volatile @Nullable Block next;

        final @Nullable Object[] slots;

        /** Of the slots; here, as a look at the array would meet those who write its first slots. */
        final int length;

        Block(int length) {
            this.length = length;
            this.slots = new @Nullable Object[length];
        }
    }

    /** Each array has twice as many slots as the one before, up to this. */
    private final int mostSlots;

    /** Where to take from. Moved on by compare-and-set, when all slots of a block have been given to those who take. */
    private volatile Block first;

    /** Where to add to. Moved on by compare-and-set; not behind {@link #first}. */
    private volatile Block last;

    /** A queue without elements, small until it has had some. */
    ReadyQueue() {
        this(FIRST_SLOTS, MOST_SLOTS);
    }

    /**
     * A queue without elements.
     *
     * @param slots the number of slots in each array; tests make it small, so that there are many
     */
    ReadyQueue(int slots) {
        this(slots, slots);
    }

    private ReadyQueue(int firstSlots, int mostSlots) {
        this.mostSlots = mostSlots;
        this.first = new Block(firstSlots);
        this.last = first;
    }

    void add(E element) {
        for (; ; ) {
            Block block = last;
            int slot = (int) ADDED.getAndAdd(block, 1);
            if (slot >= block.length) {
                addBehind(block);
            } else if (SLOT.compareAndSet(block.slots, slot, null, element)) {
                return;
            }
        }
    }

    private void addBehind(Block full) {
        if (full.next == null) {
            NEXT.compareAndSet(full, null, new Block(Math.min(2 * full.length, mostSlots)));
        }
        moveLast(full);
    }

    /** The element that was added first; null if there is none. */
    @SuppressWarnings("unchecked") // nothing else is added
    @Nullable
    E poll() {
        for (Block block = firstWithMore(); block != null; block = firstWithMore()) {
            int slot = (int) TAKEN_SLOTS.getAndAdd(block, 1);
            Object element = slot < block.length ? SLOT.getAndSet(block.slots, slot, TAKEN) : null;
            // taken already if it was removed out of turn
            if (element != null && element != TAKEN) {
                return (E) element;
            }
        }
        return null;
    }

    boolean isEmpty() {
        return firstWithMore() == null;
    }

    /** Whether there are more elements than this; approximate while they change. */
    boolean hasMoreThan(int count) {
        int found = 0;
        for (Block block = first; block != null; block = block.next == block ? null : block.next) {
            found += Math.max(0, Math.min(block.length, block.added) - block.taken);
            if (found > count) {
                return true;
            }
        }
        return false;
    }

    /** Takes an element out of turn; false if it is not here any more. */
    boolean remove(E element) {
        for (Block block = first; block != null; block = block.next == block ? first : block.next) {
            for (int slot = 0; slot < block.length; slot++) {
                if (SLOT.compareAndSet(block.slots, slot, element, TAKEN)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Takes out of turn what meets a condition, and the blocks in which nothing is left; for one thread at a time. It
     * may miss what is added or taken meanwhile.
     *
     * @return how many others there are, about
     */
    @SuppressWarnings("unchecked") // nothing else is added
    int removeIf(Predicate<? super E> condition) {
        int others = 0;
        Block before = null;
        for (Block block = first; block != null; ) {
            boolean isSpent = true;
            for (int slot = 0; slot < block.length; slot++) {
                Object element = SLOT.getAcquire(block.slots, slot);
                boolean isTaken = element == TAKEN
                        || (element != null
                                && condition.test((E) element)
                                && SLOT.compareAndSet(block.slots, slot, element, TAKEN));
                isSpent &= isTaken;
                others += isTaken || element == null ? 0 : 1;
            }
            Block next = block.next;
            if (next == block) {
                // those who take have passed it
                before = null;
                block = first;
                continue;
            }
            if (isSpent && before != null && next != null) {
                // first, or those who add could be behind those who take: these would not come past this block
                moveLast(block);
                NEXT.compareAndSet(before, block, next);
            } else {
                before = block;
            }
            block = next;
        }
        return others;
    }

    /** The block that has slots for those who take; null if there is none. */
    private @Nullable Block firstWithMore() {
        for (; ; ) {
            Block block = first;
            // before the counts: a block that has a next one has given out all its slots. Seen the other way round,
            // those that were given out in between would be passed with what is in them
            Block next = block.next;
            // in this order: what was added later does not matter
            int taken = block.taken;
            if (taken < Math.min(block.length, block.added)) {
                return block;
            }
            if (next == null) {
                return null;
            }
            if (next != block) {
                moveLast(block);
                if (FIRST.compareAndSet(this, block, next)) {
                    // what is behind it must not be kept by it
                    block.next = block;
                }
            }
        }
    }

    private void moveLast(Block full) {
        Block next = full.next;
        if (next != null && next != full) {
            LAST.compareAndSet(this, full, next);
        }
    }
}
