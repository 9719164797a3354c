package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.SteppedPieces;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R2: a wrapper whose {@code getCause} throws is a failure like others, and holds up nothing. */
class CauseThatThrowsTest {
    private static final class Opaque extends CompletionException {
        private static final long serialVersionUID = 1;

        Opaque() {
            super("opaque");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new ThrownOnPurpose();
        }
    }

    private final Opaque failure = new Opaque();

    @Test
    @DisplayName("the stage of a task: the next task of the key runs, and the listener hears the failure")
    void ofStage() {
        SteppedExecutor steps = new SteppedExecutor();
        HeardTasks heard = new HeardTasks();
        StripedExecutor executor =
                StripedExecutor.builder().executor(steps).listener(heard).build();
        List<String> ran = new ArrayList<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        executor.execute("a", () -> ran.add("next"));
        steps.runAll();
        stage.completeExceptionally(failure);
        steps.runAll();
        assertThat(ran).containsExactly("next");
        assertThatThrownBy(future::join).isSameAs(failure);
        assertThat(heard.all().stream().filter(event -> event.kind() == HeardTasks.Kind.FAILED))
                .singleElement()
                .satisfies(event -> assertThat(event.failure()).isSameAs(failure));
        heard.assertOneEndEach("");
        assertThat(executor.inspect().stats().failed()).isEqualTo(1);
    }

    @Test
    @DisplayName("the stage of a piece: the piece is left out, and the next one is written")
    void ofPiece() {
        SteppedPieces pieces = new SteppedPieces();
        pieces.begin(2);
        pieces.stages.get(0).completeExceptionally(failure);
        pieces.finish(1);
        pieces.assertWrittenAndEnded(1);
        assertThatThrownBy(pieces.futures.get(0)::join).isSameAs(failure);
        assertThat(pieces.output.failure()).containsSame(failure);
    }

    @Test
    @DisplayName("an output of a sequence: the sequence stops with that failure")
    void ofSequence() throws InterruptedException {
        List<Throwable> handled = new ArrayList<>();
        TicketSequencer sequencer = TicketSequencer.builder()
                .onFailure((number, thrown) -> handled.add(thrown))
                .stopOnFailure()
                .build();
        Reservation first = sequencer.next();
        first.execute(() -> {
            throw failure;
        });
        assertThat(handled).containsExactly(failure);
        assertThatThrownBy(sequencer::next)
                .isInstanceOf(RejectedExecutionException.class)
                .satisfies(refusal -> assertThat(refusal.getCause()).isSameAs(failure));
    }
}
