package io.orderedexecutor.sample.transfers;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/**
 * Puts money into savings accounts, and moves it between them. A transfer runs after every earlier and before every
 * later call on either account, deposits included; statements of an account only read it and run concurrently. The
 * total is taken between two transfers, never in the middle of one. The executor is their own: the total, which runs
 * alone in it, holds up no event.
 *
 * <p>No lock guards the balances, since the order of the calls does: no other call touches an account that a transfer
 * changes.
 */
@Service
class Transfers {
    static final int INITIAL_BALANCE = 1000;

    private final SimulatedDatabase database;
    private final Map<String, SavingsAccount> accounts = new LinkedHashMap<>();

    Transfers(SimulatedDatabase database) {
        this.database = database;
        List.of("alice", "bob", "carol", "dave").forEach(name -> accounts.put(name, new SavingsAccount()));
    }

    Set<String> accounts() {
        return accounts.keySet();
    }

    /** A deposit touches one account, so it has a stripe: the only group of a call that has no other. */
    @OrderedAsync(executor = "savings", stripe = "#account")
    public CompletableFuture<Statement> deposit(String account, int amount) {
        database.write(amount);
        SavingsAccount saved = find(account);
        saved.balance += amount;
        return CompletableFuture.completedFuture(new Statement(account, saved.balance));
    }

    @OrderedAsync(executor = "savings", groups = "{#from, #to}")
    public CompletableFuture<Transfer> transfer(String from, String to, int amount) {
        database.write(amount);
        SavingsAccount source = find(from);
        if (source.balance < amount) {
            return CompletableFuture.completedFuture(new Transfer(from, to, amount, Transfer.Result.DECLINED));
        }
        source.balance -= amount;
        find(to).balance += amount;
        return CompletableFuture.completedFuture(new Transfer(from, to, amount, Transfer.Result.BOOKED));
    }

    @OrderedAsync(executor = "savings", shared = "#account")
    public CompletableFuture<Statement> statement(String account) {
        return CompletableFuture.completedFuture(new Statement(account, find(account).balance));
    }

    @OrderedAsync(executor = "savings", barrier = true)
    public CompletableFuture<Total> total() {
        long balance =
                accounts.values().stream().mapToLong(account -> account.balance).sum();
        return CompletableFuture.completedFuture(new Total(accounts.size(), balance));
    }

    private SavingsAccount find(String account) {
        return requireNonNull(accounts.get(account));
    }

    /** A transfer that was made or declined. */
    record Transfer(String from, String to, int amount, Result result) {

        enum Result {
            @JsonProperty("booked")
            BOOKED,
            /** The balance was too low. */
            @JsonProperty("declined")
            DECLINED
        }
    }

    /** What is in an account. */
    record Statement(String account, long balance) {}

    /** How many accounts there are, and what is in all of them together; no transfer changes it. */
    record Total(int accounts, long balance) {}

    private static final class SavingsAccount {
        private long balance = INITIAL_BALANCE;
    }
}
