package io.orderedexecutor.sample.live;

import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.COLLECT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.INTERRUPT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.LATEST;

import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** The scenes of the page. It shows the code of each as it stands here, between two marks. */
@Service
class Scenes {
    private final OrderedOutputExecutor executor;
    private final Player player;

    Scenes(OrderedOutputExecutor executor, Player player) {
        this.executor = executor;
        this.player = player;
    }

    // scene: striped
    @OrderedAsync(executor = "oneKey", stripe = "#step.key()")
    public CompletableFuture<Void> ordered(Step step) {
        player.play(step); // takes its time
        return CompletableFuture.completedFuture(null);
    }

    @Async
    public CompletableFuture<Void> unordered(Step step) {
        player.play(step);
        return CompletableFuture.completedFuture(null);
    }

    // scene: grouped
    @OrderedAsync(executor = "severalKeys", groups = "#step.keys") // one account, or the two of a transfer
    public CompletableFuture<Void> change(Step step) {
        player.play(step);
        return CompletableFuture.completedFuture(null);
    }

    @OrderedAsync(executor = "severalKeys", shared = "#step.keys") // statements run at the same time, changes do not
    public CompletableFuture<Void> read(Step step) {
        player.play(step);
        return CompletableFuture.completedFuture(null);
    }

    // scene: output
    public void render(List<Step> steps) throws InterruptedException {
        executor.forEach(
                steps.iterator(), // read as far ahead as the window allows
                player::playOnThread, // in parallel
                player::write); // in the order of the steps
    }

    // scene: busy
    @OrderedAsync(executor = "whenBusy", stripe = "#session") // each message waits its turn
    public CompletableFuture<Void> followup(String session, Step message) {
        return player.answer(List.of(message));
    }

    @OrderedAsync(executor = "whenBusy", stripe = "#session", whenBusy = COLLECT) // one answer to all that wait
    public CompletableFuture<Void> collect(String session, List<Step> messages) {
        return player.answer(messages);
    }

    @OrderedAsync(executor = "whenBusy", stripe = "#session", whenBusy = LATEST) // replaces the one that waits
    public CompletableFuture<Void> latest(String session, Step message) {
        return player.answer(List.of(message));
    }

    @OrderedAsync(executor = "whenBusy", stripe = "#session", whenBusy = INTERRUPT) // also stops the running answer
    public CompletableFuture<Void> interrupt(String session, Step message) {
        return player.answer(List.of(message));
    }
    // end of the scenes
}
