package io.orderedexecutor.sample.live;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** Some steps belong to two accounts, and some only read. */
@Service
class GroupedScene {
    private final Player player;

    GroupedScene(Player player) {
        this.player = player;
    }

    // shown on the page
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
    // to here
}
