package io.orderedexecutor.sample;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accounts. Those that are in use stay, and are as few as there are pending events; of the idle ones, a bounded
 * number of the last used is kept.
 */
final class Ledger {
    private final int keptEvents;
    private final Map<String, InUse> inUse = new HashMap<>();
    private final Map<String, Account> idle;

    Ledger(int keptEvents, int idleClients) {
        this.keptEvents = keptEvents;
        this.idle = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Account> eldest) {
                return size() > idleClients;
            }
        };
    }

    /**
     * Returns the client's account, which stays until it is {@linkplain #release released} as often as it was claimed.
     */
    synchronized Account claim(String client) {
        InUse used = inUse.computeIfAbsent(client, this::open);
        used.claims++;
        return used.account;
    }

    private InUse open(String client) {
        Account known = idle.remove(client);
        return new InUse(known == null ? new Account(client, keptEvents) : known);
    }

    synchronized void release(Account account) {
        InUse used = inUse.get(account.client());
        if (used != null && --used.claims == 0) {
            inUse.remove(account.client());
            idle.put(account.client(), account);
        }
    }

    synchronized @Nullable Account find(String client) {
        InUse used = inUse.get(client);
        return used == null ? idle.get(client) : used.account;
    }

    synchronized int size() {
        return inUse.size() + idle.size();
    }

    private static final class InUse {
        private final Account account;
        private int claims;

        InUse(Account account) {
            this.account = account;
        }
    }
}
