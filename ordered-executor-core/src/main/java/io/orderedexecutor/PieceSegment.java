package io.orderedexecutor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a {@link PieceTable}: pieces in the order in which they came, those of one output all in one segment. */
final class PieceSegment implements SegmentedTable.Segment {

    // all guarded by the monitor, which is held for a few pointer writes

    private @Nullable Piece first;
    private @Nullable Piece last;
    private int size;
    private long arrivals;
    private boolean closed;

    /** Adds a piece; false if no more are accepted. */
    synchronized boolean add(Piece piece) {
        if (closed) {
            return false;
        }
        Piece before = last;
        piece.previousInSegment = before;
        if (before == null) {
            first = piece;
        } else {
            before.nextInSegment = piece;
        }
        last = piece;
        size++;
        arrivals++;
        return true;
    }

    /**
     * Removes a piece that has ended.
     *
     * @return true if it was the last one and no other can come; so for one call at most
     */
    synchronized boolean remove(Piece piece) {
        Piece before = piece.previousInSegment;
        Piece behind = piece.nextInSegment;
        if (before == null) {
            first = behind;
        } else {
            before.nextInSegment = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.previousInSegment = before;
        }
        // what is kept of this piece must not keep others
        piece.previousInSegment = null;
        piece.nextInSegment = null;
        size--;
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
        for (Piece piece = first; piece != null; piece = piece.nextInSegment) {
            pieces.add(piece);
        }
        return pieces;
    }
}
