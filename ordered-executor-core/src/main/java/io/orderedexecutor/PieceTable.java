package io.orderedexecutor;

import java.util.function.Consumer;

/** The pieces of ordered outputs that are not done. Outputs without pieces are not known to anybody but their users. */
final class PieceTable extends SegmentedTable<PieceSegment, Piece> {

    PieceTable() {
        super(PieceSegment::new);
    }

    @Override
    void forEach(Consumer<? super Piece> visitor) {
        segments().forEach(segment -> segment.pieces().forEach(visitor));
    }
}
