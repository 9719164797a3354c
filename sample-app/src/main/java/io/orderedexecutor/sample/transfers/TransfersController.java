package io.orderedexecutor.sample.transfers;

import io.orderedexecutor.sample.SimulatedDatabase;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The HTTP side of the savings accounts. The answer is sent when the call has run; no thread waits for it. */
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class TransfersController {
    private final Transfers transfers;

    TransfersController(Transfers transfers) {
        this.transfers = transfers;
    }

    @PostMapping("/transfers")
    CompletableFuture<Transfers.Transfer> transfer(
            @RequestParam String from, @RequestParam String to, @RequestParam int amount) {
        requireAccount(HttpStatus.BAD_REQUEST, "'from'", from);
        requireAccount(HttpStatus.BAD_REQUEST, "'to'", to);
        require(!from.equals(to), HttpStatus.BAD_REQUEST, "'from' and 'to' must be different accounts.");
        requireAmount(amount);
        return transfers.transfer(from, to, amount);
    }

    @PostMapping("/savings/{account}/deposits")
    CompletableFuture<Transfers.Statement> deposit(@PathVariable String account, @RequestParam int amount) {
        requireAccount(HttpStatus.NOT_FOUND, "The account in the path", account);
        requireAmount(amount);
        return transfers.deposit(account, amount);
    }

    @GetMapping("/savings/{account}")
    CompletableFuture<Transfers.Statement> statement(@PathVariable String account) {
        requireAccount(HttpStatus.NOT_FOUND, "The account in the path", account);
        return transfers.statement(account);
    }

    @GetMapping("/savings")
    CompletableFuture<Transfers.Total> total() {
        return transfers.total();
    }

    private void requireAccount(HttpStatus status, String what, String account) {
        require(
                transfers.accounts().contains(account),
                status,
                what + " must be one of " + String.join(", ", transfers.accounts()) + ".");
    }

    private static void requireAmount(int amount) {
        require(
                amount >= 1 && amount <= SimulatedDatabase.MAX_AMOUNT,
                HttpStatus.BAD_REQUEST,
                "'amount' must be a whole number from 1 to " + SimulatedDatabase.MAX_AMOUNT + ".");
    }

    private static void require(boolean condition, HttpStatus status, String detail) {
        if (!condition) {
            throw new ResponseStatusException(status, detail);
        }
    }
}
