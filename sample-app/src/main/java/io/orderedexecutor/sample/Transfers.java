package io.orderedexecutor.sample;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/**
 * Moves coins between savings accounts. A transfer waits for what came before it to either account, and holds up what
 * comes after it to them; statements of an account, which only read it, are made side by side. The total of all
 * accounts is counted between two transfers, never in the middle of one.
 *
 * <p>No lock guards the balances, since their order does: no other call touches an account that a transfer changes.
 */
@Service
class Transfers {
    static final int COINS_AT_FIRST = 1000;

    private final CoinCounter counter;
    private final Map<String, Savings> savings = new LinkedHashMap<>();

    Transfers(CoinCounter counter) {
        this.counter = counter;
        List.of("alice", "bob", "carol", "dave").forEach(name -> savings.put(name, new Savings(COINS_AT_FIRST)));
    }

    /** The names of the accounts. */
    Set<String> accounts() {
        return savings.keySet();
    }

    @OrderedAsync(groups = "{#from, #to}")
    public CompletableFuture<Transfer> transfer(String from, String to, int coins) {
        return CompletableFuture.completedFuture(move(from, to, coins));
    }

    @OrderedAsync(shared = "#account")
    public CompletableFuture<Statement> statement(String account) {
        return CompletableFuture.completedFuture(new Statement(account, find(account).coins));
    }

    @OrderedAsync(barrier = true)
    public CompletableFuture<Total> total() {
        long coins =
                savings.values().stream().mapToLong(account -> account.coins).sum();
        return CompletableFuture.completedFuture(new Total(savings.size(), coins));
    }

    private Transfer move(String from, String to, int coins) {
        try {
            counter.count(coins);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while counting the " + coins + " coins of a transfer");
        }
        Savings source = find(from);
        if (source.coins < coins) {
            return new Transfer(from, to, coins, Entry.Result.DECLINED);
        }
        source.coins -= coins;
        find(to).coins += coins;
        return new Transfer(from, to, coins, Entry.Result.BOOKED);
    }

    private Savings find(String account) {
        Savings found = savings.get(account);
        if (found == null) {
            throw new IllegalArgumentException("There is no savings account " + account);
        }
        return found;
    }

    /**
     * What became of a transfer.
     *
     * @param from the account that had the coins
     * @param to the account that gets them
     * @param coins how many
     * @param result whether they were moved
     */
    record Transfer(String from, String to, int coins, Entry.Result result) {}

    /**
     * What is in an account.
     *
     * @param account its name
     * @param coins how many
     */
    record Statement(String account, long coins) {}

    /**
     * What is in all accounts together, which no transfer changes.
     *
     * @param accounts how many there are
     * @param coins how many they have
     */
    record Total(int accounts, long coins) {}

    private static final class Savings {
        private long coins;

        Savings(long coins) {
            this.coins = coins;
        }
    }
}
