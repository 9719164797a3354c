package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.output.Slots.Block;
import io.orderedexecutor.engine.output.Slots.Mark;
import org.jetbrains.lincheck.datastructures.Operation;

/** The slots of an output are numbered without a gap, and end once. */
public class LinearSlots {
    private static final String PIECE = "piece";

    private final Slots<String, LinearSlots> slots = new Slots<>(this);

    /** Places a piece as a submitter does: its position, or -1 if the output has ended. */
    @Operation
    public long place() {
        for (; ; ) {
            Block<String, LinearSlots> block = slots.last();
            int index = slots.firstFree(block);
            Object here = index == block.length() ? Mark.OVER : block.get(index);
            if (here == Mark.LAST) {
                return -1;
            }
            if ((here == null || here == Mark.FIRST) && block.change(index, here, PIECE)) {
                slots.taken(block, index);
                return block.first + index;
            }
        }
    }

    @Operation
    public long end() {
        return slots.end();
    }

    @Operation
    public long close() {
        return slots.close();
    }

    /** What it should be. */
    public static class Specification {
        private long placed;
        private boolean isClosed;

        public long place() {
            return isClosed ? -1 : placed++;
        }

        public long end() {
            return placed;
        }

        public long close() {
            isClosed = true;
            return placed;
        }
    }
}
