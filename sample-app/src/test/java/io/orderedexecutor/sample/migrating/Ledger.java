package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** What the examples write, event by event, and what has to be there in the end. */
final class Ledger {
    static final List<String> ACCOUNTS = List.of("alice", "bob", "carol");
    static final int EVENTS = 200;

    private final Map<String, List<Integer>> entries = new TreeMap<>();

    synchronized void book(String account, int number) {
        entries.computeIfAbsent(account, key -> new ArrayList<>()).add(number);
    }

    interface Sender {
        void send(String account, int number) throws Exception;
    }

    /** Sends the events of all accounts, those of each account in order. */
    static void sendAll(Sender sender) throws Exception {
        for (int number = 0; number < EVENTS; number++) {
            for (String account : ACCOUNTS) {
                sender.send(account, number);
            }
        }
    }

    synchronized void assertEachEventOnceInOrder() {
        assertThat(entries).containsOnlyKeys(ACCOUNTS);
        assertThat(entries)
                .allSatisfy((account, numbers) -> assertThat(numbers)
                        .as(account)
                        .isEqualTo(IntStream.range(0, EVENTS).boxed().toList()));
    }

    synchronized void assertEachEventOnce() {
        assertThat(entries).containsOnlyKeys(ACCOUNTS);
        assertThat(entries)
                .allSatisfy((account, numbers) -> assertThat(numbers)
                        .as(account)
                        .containsExactlyInAnyOrderElementsOf(
                                IntStream.range(0, EVENTS).boxed().toList()));
    }
}
