package io.orderedexecutor.sample.accounts;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accounts of one bank, in memory. An account with pending events stays; of the idle ones, those that were not used
 * for longest are forgotten when there are too many. Thread-safe: the object's lock guards the map.
 */
final class Accounts {
    private final AccountsProperties properties;
    private final Map<String, Account> byClient = new LinkedHashMap<>(16, 0.75f, true); // the last used is the last

    Accounts(AccountsProperties properties) {
        this.properties = properties;
    }

    /**
     * Returns the client's account, opened if need be, with one more event pending: so it cannot be forgotten before
     * that ends.
     */
    synchronized Account accept(String client) {
        Account account = byClient.computeIfAbsent(client, name -> new Account(name, properties.maxEntries()));
        account.onAccepted();
        forgetIdle();
        return account;
    }

    private void forgetIdle() {
        Iterator<Account> longestUnused = byClient.values().iterator();
        while (byClient.size() > properties.maxAccounts() && longestUnused.hasNext()) {
            if (longestUnused.next().isIdle()) {
                longestUnused.remove();
            }
        }
    }

    synchronized @Nullable Account find(String client) {
        return byClient.get(client);
    }

    synchronized int size() {
        return byClient.size();
    }
}
