package io.orderedexecutor.engine.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedPieces;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What cannot be seen of a piece from outside. */
class PieceTest {

    @Test
    @DisplayName("flush and the next output wait for a piece that another thread is about to complete")
    void flushedAfterTheFutureIsDone() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(2);
        CompletableFuture<Void> flushed = pieces.output.flush();
        Piece<?> first = (Piece<?>) pieces.futures.get(0);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch outputHasCome = new CountDownLatch(1);
        // in two steps, what a cancellation does at once
        Thread canceller = new Thread(() -> first.finish(() -> {
            entered.countDown();
            Patience.await(outputHasCome);
            return first.cancel(true);
        }));
        canceller.start();
        Patience.await(entered);
        pieces.finish(1, 0);
        boolean wasFlushed = flushed.isDone();
        int wasWritten = pieces.written.count();
        outputHasCome.countDown();
        Patience.join(canceller);
        pieces.steps.runAll();
        assertThat(wasFlushed).as("flushed before the future is done").isFalse();
        assertThat(wasWritten).isZero();
        assertThat(flushed).isCompleted();
        pieces.assertWrittenAndEnded(1);
    }
}
