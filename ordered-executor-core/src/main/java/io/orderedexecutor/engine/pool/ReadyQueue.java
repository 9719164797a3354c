package io.orderedexecutor.engine.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue of work for threads, first come, first served. Any thread may add, and any may poll.
 *
 * <p>The elements are in the slots of linked arrays. A thread that adds gets its slot by atomic addition, and so does a
 * thread that polls; so neither has to retry because of others that do the same, and an element costs no object. See
 * FAAArrayQueue by Pedro Ramalhete and Andreia Correia. A slot goes from
 *
 * <pre>
 *   null ──▶ an element    added
 *   null ──▶ TAKEN         polled before the thread that got the slot has added; that one then tries another slot
 *   an element ──▶ TAKEN   polled, or removed out of turn
 * </pre>
 *
 * <p>{@link #isEmpty()} and {@link #poll()} find each element that was added before the call, unless a poller has got
 * its slot, or it was removed out of turn.
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
        /** How many slots were given to pollers; may exceed the length. Changed by atomic addition. */
        volatile int taken;
    }

    @SuppressWarnings("unused") // padding: without it, adders and pollers would write to the same cache line
    private static class Gap extends Taking {
        long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
    }

    private static final class Block extends Gap {
        /** How many slots were given to adders; may exceed the length. Changed by atomic addition. */
        volatile int added;

        /**
         * The block behind this one; null until the slots are used up. Set by compare-and-set. This block itself soon
         * after a later block has replaced it as {@link #first}.
         */
        volatile @Nullable Block next;

        final @Nullable Object[] slots;

        /**
         * The number of slots. Copied here, since the length in the array shares a cache line with the first slots,
         * which threads write.
         */
        final int length;

        Block(int length) {
            this.length = length;
            this.slots = new @Nullable Object[length];
        }
    }

    /**
     * The maximum number of slots in an array. Each array has twice as many slots as the one before, up to this
     * maximum.
     */
    private final int mostSlots;

    /**
     * The block to poll from. When pollers have got all of its slots, the next block replaces it by compare-and-set.
     */
    private volatile Block first;

    /**
     * The block to add to; never older than {@link #first}. When adders have got all of its slots, the next block
     * replaces it by compare-and-set.
     */
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

    /** Removes and returns the oldest element; null if there is none. */
    @SuppressWarnings("unchecked") // nothing else is added
    @Nullable
    E poll() {
        for (Block block = firstWithMore(); block != null; block = firstWithMore()) {
            int slot = (int) TAKEN_SLOTS.getAndAdd(block, 1);
            Object element = slot < block.length ? SLOT.getAndSet(block.slots, slot, TAKEN) : null;
            // TAKEN if the element was removed out of turn
            if (element != null && element != TAKEN) {
                return (E) element;
            }
        }
        return null;
    }

    boolean isEmpty() {
        return firstWithMore() == null;
    }

    /** Whether there are more elements than this; approximate while they change, or after some were removed. */
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

    /** Removes an element out of turn; false if it is no longer here. */
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
     * Removes the elements that meet a condition, and the blocks between the first and the last one in which nothing is
     * left; for one thread at a time. May miss elements that are added meanwhile.
     *
     * @return about how many elements are left
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
                // pollers have passed the block
                before = null;
                block = first;
                continue;
            }
            if (isSpent && before != null && next != null) {
                // before the unlinking: otherwise adders could stay at this block, which no poller visits any more
                moveLast(block);
                NEXT.compareAndSet(before, block, next);
            } else {
                before = block;
            }
            block = next;
        }
        return others;
    }

    /** The first block with an element to poll; null if there is none. */
    private @Nullable Block firstWithMore() {
        for (; ; ) {
            Block block = first;
            // read next before the counts: a block with a next one has given all its slots to adders. If next were read
            // after the counts, this thread would pass the slots that were given to adders in between
            Block next = block.next;
            // an element that was added before this call, and given to no poller, counts whichever is read first
            if (block.taken < Math.min(block.length, block.added)) {
                return block;
            }
            if (next == null) {
                return null;
            }
            if (next != block) {
                moveLast(block);
                if (FIRST.compareAndSet(this, block, next)) {
                    // an old block must not keep the later ones in memory
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
