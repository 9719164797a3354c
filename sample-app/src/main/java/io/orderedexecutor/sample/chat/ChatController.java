package io.orderedexecutor.sample.chat;

import io.orderedexecutor.sample.chat.Chats.Reply;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The HTTP side of the chat: {@code curl -d message=hello localhost:8080/chats/alice/collect}. */
@RestController
@RequestMapping("/chats/{session}")
@RegisterReflectionForBinding(Reply.class) // nothing else tells a native image of it
class ChatController {
    private final Chats chats;

    ChatController(Chats chats) {
        this.chats = chats;
    }

    @PostMapping("/followup")
    CompletableFuture<Reply> followup(@PathVariable String session, @RequestParam String message) {
        return chats.followup(session, message);
    }

    @PostMapping("/collect")
    CompletableFuture<Reply> collect(@PathVariable String session, @RequestParam String message) {
        return chats.collect(session, List.of(message)).thenApply(replies -> replies.get(0));
    }

    @PostMapping("/latest")
    CompletableFuture<Reply> latest(@PathVariable String session, @RequestParam String message) {
        return chats.latest(session, message);
    }

    @PostMapping("/interrupt")
    CompletableFuture<Reply> interrupt(@PathVariable String session, @RequestParam String message) {
        return chats.interrupt(session, message);
    }

    /** A message gets no answer if a later one replaces or interrupts it, or if a shutdown cancels it. */
    @ExceptionHandler
    ProblemDetail notAnswered(CancellationException e) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.CONFLICT, "A later message came before the answer, or the application is shutting down.");
    }
}
