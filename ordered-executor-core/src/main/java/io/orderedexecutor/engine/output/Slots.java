package io.orderedexecutor.engine.output;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The places of the pieces of an output, in the order of their submission. They are in blocks that are linked to each
 * other, so that there are as many as are open, whatever the window is. A slot goes from
 *
 * <pre>
 *   free ──▶ a piece   a submitter; the compare-and-set fixes the order
 *   free ──▶ FIRST     the server: all before it is over, and whatever comes here has its turn
 *   FIRST ──▶ a piece  a submitter, whose piece has its turn
 *   free, FIRST ──▶ LAST  the output is closed: nothing comes here
 *   a piece ──▶ OVER   the piece has ended: by the server in its turn, or before it by the thread that has ended it
 * </pre>
 *
 * <p>A block has a next one before its last slot is taken; so neither a submitter that has a slot nor the server needs
 * memory. When the server goes on to the next block it links the one before to itself, so that a piece that is kept
 * does not keep all later ones.
 *
 * @param <P> the kind of pieces
 * @param <O> what they belong to
 */
final class Slots<P, O> {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle NEXT;
    private static final VarHandle WAITING;
    private static final VarHandle LAST_BLOCK;
    private static final VarHandle TAKEN;
    private static final int FIRST_LENGTH = 8;
    private static final int MOST_SLOTS = 64;

    static {
        try {
            var lookup = MethodHandles.lookup();
            NEXT = lookup.findVarHandle(Block.class, "next", Block.class);
            WAITING = lookup.findVarHandle(Block.class, "waiting", int.class);
            LAST_BLOCK = lookup.findVarHandle(Slots.class, "last", Block.class);
            TAKEN = lookup.findVarHandle(Slots.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What is in a slot that has no piece, and is not free. */
    enum Mark {
        FIRST,
        OVER,
        LAST
    }

    /** Consecutive slots. */
    static final class Block<P, O> {
        final O owner;

        /** The position of the first slot. */
        final long first;

        private final @Nullable Object[] slots;

        /** Set by compare-and-set; the block itself when the server has gone on. */
        private volatile @Nullable Block<P, O> next;

        /** No piece before this one waits for a thread. A hint, written by the threads that look, without order. */
        @SuppressWarnings("UnusedVariable") // it is used through its handle
        private int waiting;

        private Block(O owner, long first, int length) {
            this.owner = owner;
            this.first = first;
            this.slots = new @Nullable Object[length];
        }

        int length() {
            return slots.length;
        }

        long end() {
            return first + slots.length;
        }

        @Nullable
        Object get(int index) {
            return SLOT.getVolatile(slots, index);
        }

        boolean change(int index, @Nullable Object from, Object to) {
            if (index + 1 == slots.length && next == null) {
                nextOrNew();
            }
            return SLOT.compareAndSet(slots, index, from, to);
        }

        /** The piece of this slot has ended. Release is enough: who reads the piece instead sees its end there. */
        void over(int index) {
            SLOT.setRelease(slots, index, Mark.OVER);
        }

        @Nullable
        Block<P, O> next() {
            return next;
        }

        int waiting() {
            return (int) WAITING.getOpaque(this);
        }

        void setWaiting(int index) {
            WAITING.setOpaque(this, index);
        }

        private static boolean isFree(@Nullable Object here) {
            return here == null || here == Mark.FIRST || here == Mark.LAST;
        }

        @SuppressWarnings("unchecked") // nothing else is linked
        Block<P, O> nextOrNew() {
            Block<P, O> behind = next;
            if (behind != null) {
                return behind;
            }
            Block<P, O> added = new Block<>(owner, end(), Math.min(2 * slots.length, MOST_SLOTS));
            Block<P, O> before = (Block<P, O>) NEXT.compareAndExchange(this, null, added);
            return before == null ? added : before;
        }
    }

    /** The block with the first free slot, or one before it. Moved on by compare-and-set. */
    private volatile Block<P, O> last;

    /**
     * No slot before this position is free. A hint, written by submitters without order. It is not in the blocks, which
     * servers read: the line would go from the one to the other with each piece.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private long taken;

    Slots(O owner) {
        Block<P, O> block = new Block<>(owner, 0, FIRST_LENGTH);
        block.slots[0] = Mark.FIRST;
        this.last = block;
    }

    /** The block with the first free slot, or with the mark of the end; or one that was just filled. */
    Block<P, O> last() {
        for (; ; ) {
            Block<P, O> block = last;
            if ((long) TAKEN.getOpaque(this) < block.end()) {
                return block;
            }
            moveLast(block, block.nextOrNew());
        }
    }

    /** The index of the first slot that is free, or of the mark of the end; the length if there is none. */
    int firstFree(Block<P, O> block) {
        int index = (int) Math.max(0, Math.min((long) TAKEN.getOpaque(this) - block.first, block.length()));
        while (index < block.length() && !Block.isFree(block.get(index))) {
            index++;
        }
        if (index == block.length()) {
            TAKEN.setOpaque(this, block.end());
        }
        return index;
    }

    /** Called by the submitter that has taken a slot. */
    void taken(Block<P, O> block, int index) {
        TAKEN.setOpaque(this, block.first + index + 1);
    }

    private void moveLast(Block<P, O> full, Block<P, O> behind) {
        // a block that is linked to itself was passed, and then the last one is another already
        if (behind != full) {
            LAST_BLOCK.compareAndSet(this, full, behind);
        }
    }

    /** For the server, before it goes on: the block behind this one, which there is. */
    Block<P, O> behind(Block<P, O> over) {
        Block<P, O> behind = over.nextOrNew();
        moveLast(over, behind);
        return behind;
    }

    /** For the server, which has gone on from a block: cuts the way from it to later ones. */
    static void pass(Block<?, ?> over) {
        NEXT.setRelease(over, over);
    }

    /** The position behind that of the last piece. */
    long end() {
        for (; ; ) {
            Block<P, O> block = last();
            int index = firstFree(block);
            if (index < block.length()) {
                return block.first + index;
            }
        }
    }

    /**
     * Ends this output: nothing comes any more. Has no further effect if it has ended.
     *
     * @return the position behind that of the last piece
     */
    long close() {
        for (; ; ) {
            Block<P, O> block = last();
            int index = firstFree(block);
            Object here = index == block.length() ? Mark.OVER : block.get(index);
            boolean isFree = here == null || here == Mark.FIRST;
            if (here == Mark.LAST || (isFree && block.change(index, here, Mark.LAST))) {
                return block.first + index;
            }
        }
    }

    /**
     * Visits the pieces that are not over, in order.
     *
     * @param from the block of the first; asked again if the server overtakes
     */
    @SuppressWarnings("unchecked") // a slot has a mark, or else a piece
    void forEach(Supplier<Block<P, O>> from, Consumer<? super P> visitor) {
        Block<P, O> block = from.get();
        for (int index = 0; ; index++) {
            if (index == block.length()) {
                Block<P, O> behind = block.next;
                if (behind == null) {
                    return;
                }
                block = behind == block ? from.get() : behind;
                index = 0;
            }
            Object here = block.get(index);
            if (here == null || here == Mark.FIRST || here == Mark.LAST) {
                return;
            }
            if (here != Mark.OVER) {
                visitor.accept((P) here);
            }
        }
    }
}
