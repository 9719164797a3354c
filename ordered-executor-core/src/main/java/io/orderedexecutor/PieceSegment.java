package io.orderedexecutor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link PieceTable}: pieces in the order in which they came, those of one output all in one segment.
 *
 * <p>They are in the slots of a ring. One that ends leaves a gap, and when the first has ended the ring begins behind
 * the gaps that follow. So a piece that comes or goes writes to no other piece, which may be in the cache of another
 * processor.
 */
final class PieceSegment implements SegmentedTable.Segment {
    private static final int FEWEST_SLOTS = 16;

    /** A longer ring is given back when there are no pieces. */
    private static final int MOST_SLOTS_KEPT = 1024;

    // all guarded by the monitor, which is held for a few writes

    /** Its length is a power of two. The slot of a place is its remainder. */
    private @Nullable Piece[] slots = new @Nullable Piece[FEWEST_SLOTS];

    /** The place of the first piece. Places are numbers that count up and may overflow. */
    private int begin;

    /** The place of the next piece that will come. */
    private int end;

    private int size;
    private long arrivals;
    private boolean closed;

    /** Adds a piece; false if no more are accepted. */
    synchronized boolean add(Piece piece) {
        if (closed) {
            return false;
        }
        if (end - begin == slots.length) {
            makeRoom();
        }
        put(piece);
        size++;
        arrivals++;
        return true;
    }

    private void put(Piece piece) {
        piece.placeInSegment = end;
        slots[slotOf(end)] = piece;
        end++;
    }

    private int slotOf(int place) {
        return place & (slots.length - 1);
    }

    /**
     * Closes the gaps if they are half of the ring, or else makes it twice as long: so a place costs constant time on
     * average.
     */
    private void makeRoom() {
        List<Piece> here = pieces();
        slots = new @Nullable Piece[size > slots.length / 2 ? slots.length * 2 : slots.length];
        begin = 0;
        end = 0;
        here.forEach(this::put);
    }

    /**
     * Removes a piece that has ended.
     *
     * @return true if it was the last one and no other can come; so for one call at most
     */
    synchronized boolean remove(Piece piece) {
        slots[slotOf(piece.placeInSegment)] = null;
        size--;
        while (begin != end && slots[slotOf(begin)] == null) {
            begin++;
        }
        if (size == 0 && slots.length > MOST_SLOTS_KEPT) {
            slots = new @Nullable Piece[FEWEST_SLOTS];
        }
        return closed && size == 0;
    }

    @Override
    public synchronized boolean close() {
        closed = true;
        return size == 0;
    }

    @Override
    public synchronized long arrivalsIfEmpty() {
        return size == 0 ? arrivals : -1;
    }

    /** The pieces that are here, in order. */
    synchronized List<Piece> pieces() {
        List<Piece> pieces = new ArrayList<>(size);
        for (int place = begin; place != end; place++) {
            Piece piece = slots[slotOf(place)];
            if (piece != null) {
                pieces.add(piece);
            }
        }
        return pieces;
    }
}
