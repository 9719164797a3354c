package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GroupedPoolTest {
    /** Plain fields: only what keeps the tasks of an account apart protects them. */
    private static final class Account {
        final String name;
        int balance = 1000;
        int bookings;

        Account(String name) {
            this.name = name;
        }

        void add(int amount) {
            balance += amount;
            bookings++;
        }
    }

    private final Map<String, Account> accounts = new HashMap<>();

    GroupedPoolTest() {
        Ledger.ACCOUNTS.forEach(name -> accounts.put(name, new Account(name)));
    }

    // before, and still possible
    private record Transfer(Account from, Account to, int amount) implements OrderedTask {
        @Override
        public boolean isCompatible(OrderedTask that) {
            return that instanceof Transfer other
                    && Collections.disjoint(Set.of(from.name, to.name), Set.of(other.from.name, other.to.name));
        }

        @Override
        public void run() {
            from.add(-amount);
            to.add(amount);
        }
    }

    @Test
    void tasksThatCompareThemselves() throws Exception {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(4).build()) {
            sendTransfers((from, to, amount) -> executor.execute(new Transfer(from, to, amount)));
        }

        assertAllTransfersMade();
    }

    @Test
    void tasksThatNameTheirGroups() throws Exception {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(4).build()) {
            sendTransfers((from, to, amount) -> {
                // after
                executor.execute(Groups.exclusive(from.name, to.name), () -> {
                    from.add(-amount);
                    to.add(amount);
                });
            });
        }

        assertAllTransfersMade();
    }

    private interface Bank {
        void transfer(Account from, Account to, int amount);
    }

    /** From each account to the next one, so that the balances are what they were in the end. */
    private void sendTransfers(Bank bank) throws Exception {
        List<String> names = Ledger.ACCOUNTS;
        Ledger.sendAll((name, number) -> {
            String next = names.get((names.indexOf(name) + 1) % names.size());
            bank.transfer(accounts.get(name), accounts.get(next), number);
        });
    }

    private void assertAllTransfersMade() {
        assertThat(accounts.values()).allSatisfy(account -> {
            assertThat(account.balance).isEqualTo(1000);
            assertThat(account.bookings).isEqualTo(2 * Ledger.EVENTS);
        });
    }
}
