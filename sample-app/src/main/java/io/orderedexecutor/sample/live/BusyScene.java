package io.orderedexecutor.sample.live;

import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.COLLECT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.INTERRUPT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.LATEST;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Messages come in faster than a slow model answers them. */
@Service
class BusyScene {
    private final Player player;

    BusyScene(Player player) {
        this.player = player;
    }

    // shown on the page
    @OrderedAsync(executor = "whenBusy", stripe = "#session") // each message waits its turn
    public CompletableFuture<Void> followup(String session, Step message) {
        return player.answer(List.of(message));
    }

    @OrderedAsync(
            executor = "whenBusy",
            stripe = "#session",
            whenBusy = COLLECT) // those that wait are answered together
    public CompletableFuture<Void> collect(String session, List<Step> messages) {
        return player.answer(messages);
    }

    @OrderedAsync(executor = "whenBusy", stripe = "#session", whenBusy = LATEST) // replaces the one that waits
    public CompletableFuture<Void> latest(String session, Step message) {
        return player.answer(List.of(message));
    }

    @OrderedAsync(
            executor = "whenBusy",
            stripe = "#session",
            whenBusy = INTERRUPT) // also stops the answer to an earlier one
    public CompletableFuture<Void> interrupt(String session, Step message) {
        return player.answer(List.of(message));
    }
    // to here
}
