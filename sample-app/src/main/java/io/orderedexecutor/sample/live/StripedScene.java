package io.orderedexecutor.sample.live;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** Each step belongs to one client. */
@Service
class StripedScene {
    private final Player player;

    StripedScene(Player player) {
        this.player = player;
    }

    // shown on the page
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
    // to here
}
