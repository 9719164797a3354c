package io.orderedexecutor.sample.chat;

import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.COLLECT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.INTERRUPT;
import static io.orderedexecutor.spring.annotation.OrderedAsync.Mode.LATEST;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;

/** Sessions with a model that answers one question at a time. Each method does something else while it is busy. */
@Component
class Chats {
    /** Clients of the bank have keys in the same executor: alice's chat does not wait for her events. */
    private static final String CHAT = "chat";

    private final Model model;

    Chats(Model model) {
        this.model = model;
    }

    /** What the model said, and to which messages. */
    record Reply(List<String> messages, String text) {}

    /** Each message waits its turn, and gets an answer. */
    @OrderedAsync(space = CHAT, stripe = "#session")
    public CompletableFuture<Reply> followup(String session, String message) {
        return answer(List.of(message));
    }

    /** The messages that came meanwhile get one answer together. */
    @OrderedAsync(space = CHAT, stripe = "#session", whenBusy = COLLECT, maxBatch = "50")
    public CompletableFuture<List<Reply>> collect(String session, List<String> messages) {
        return answer(messages).thenApply(reply -> Collections.nCopies(messages.size(), reply));
    }

    /** Of the messages that wait, the last one counts. */
    @OrderedAsync(space = CHAT, stripe = "#session", whenBusy = LATEST)
    public CompletableFuture<Reply> latest(String session, String message) {
        return answer(List.of(message));
    }

    /** The last message counts, and the model stops what it is saying. */
    @OrderedAsync(space = CHAT, stripe = "#session", whenBusy = INTERRUPT)
    public CompletableFuture<Reply> interrupt(String session, String message) {
        return answer(List.of(message));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the action is all that is wanted
    private CompletableFuture<Reply> answer(List<String> messages) {
        CompletableFuture<String> answer = model.answer(messages);
        CompletableFuture<Reply> reply = answer.thenApply(text -> new Reply(messages, text));
        reply.whenComplete((said, failure) -> answer.cancel(true)); // has no effect on one that is complete
        return reply;
    }
}
