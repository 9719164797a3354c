package io.orderedexecutor.sample.chat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Answers messages, and takes its time. */
interface Model {

    /** The answer to one or several messages; cancelling it stops the model. */
    CompletableFuture<String> answer(List<String> messages);

    /** As slow as the real ones, whatever it is asked. */
    @Component
    class Slow implements Model {
        private static final Duration THINKS = Duration.ofSeconds(2);

        @Override
        public CompletableFuture<String> answer(List<String> messages) {
            return new CompletableFuture<String>()
                    .completeOnTimeout(
                            "I have heard " + String.join(", ", messages) + ".",
                            THINKS.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }
}
