package io.orderedexecutor.sample.live;

import io.orderedexecutor.OrderedOutputExecutor;
import java.util.List;
import org.springframework.stereotype.Service;

/** Steps are worked on in parallel, and their results are written in order. */
@Service
class OutputScene {
    private final OrderedOutputExecutor executor;
    private final Player player;

    OutputScene(OrderedOutputExecutor executor, Player player) {
        this.executor = executor;
        this.player = player;
    }

    // shown on the page
    void render(List<Step> steps) throws InterruptedException {
        executor.forEach(
                steps.iterator(), // read as far ahead as the window allows
                player::playOnThread, // in parallel
                player::write); // in the order of the steps
    }
    // to here
}
