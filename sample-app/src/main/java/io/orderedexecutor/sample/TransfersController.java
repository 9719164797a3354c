package io.orderedexecutor.sample;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The HTTP side of the savings accounts. An answer comes when the call has had its turn; no thread waits for it. */
@RestController
class TransfersController {
    private final Transfers transfers;

    TransfersController(Transfers transfers) {
        this.transfers = transfers;
    }

    /** Moves coins. */
    @PostMapping(path = "/transfers", produces = MediaType.APPLICATION_JSON_VALUE)
    CompletableFuture<Transfers.Transfer> transfer(
            @RequestParam String from, @RequestParam String to, @RequestParam int coins) {
        requireAccount("'from'", from, HttpStatus.BAD_REQUEST);
        requireAccount("'to'", to, HttpStatus.BAD_REQUEST);
        if (coins < 1 || coins > Event.MAX_COINS) {
            throw new BadInputException(
                    HttpStatus.BAD_REQUEST, "'coins' must be a whole number from 1 to " + Event.MAX_COINS + ".");
        }
        return submitted(() -> transfers.transfer(from, to, coins));
    }

    /** Shows what is in an account. */
    @GetMapping(path = "/savings/{account}", produces = MediaType.APPLICATION_JSON_VALUE)
    CompletableFuture<Transfers.Statement> statement(@PathVariable String account) {
        requireAccount("The account in the path", account, HttpStatus.NOT_FOUND);
        return submitted(() -> transfers.statement(account));
    }

    /** Shows what is in all accounts together. */
    @GetMapping(path = "/savings", produces = MediaType.APPLICATION_JSON_VALUE)
    CompletableFuture<Transfers.Total> total() {
        return submitted(transfers::total);
    }

    private void requireAccount(String what, String account, HttpStatus status) {
        if (!transfers.accounts().contains(account)) {
            throw new BadInputException(
                    status, what + " must be one of " + String.join(", ", transfers.accounts()) + ".");
        }
    }

    private static <T> CompletableFuture<T> submitted(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RejectedExecutionException e) {
            throw new BadInputException(HttpStatus.SERVICE_UNAVAILABLE, "The application is busy, or ends. Try again.");
        }
    }
}
