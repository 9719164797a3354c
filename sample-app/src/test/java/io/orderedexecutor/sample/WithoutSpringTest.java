package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The core alone, as docs/guide.md shows it. */
class WithoutSpringTest {
    private final Queue<String> booked = new ConcurrentLinkedQueue<>();

    private void book(String order) {
        booked.add(order);
    }

    @Test
    void ordersOfAClientAreBookedInOrder() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            executor.execute("alice", () -> book("order 1"));
            executor.execute("alice", () -> book("order 2")); // after order 1
            executor.execute("bob", () -> book("order 3")); // concurrently
        }

        assertThat(booked).containsExactlyInAnyOrder("order 1", "order 2", "order 3");
        assertThat(booked).containsSubsequence("order 1", "order 2");
    }

    @Test
    void tasksOfSeveralKeysAreOrderedWithThoseOfEach() {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(4).build()) {
            executor.execute(Groups.exclusive("alice", "bob"), () -> book("transfer"));
            executor.execute(Groups.shared("alice"), () -> book("statement")); // beside other readers
            executor.execute(Groups.all(), () -> book("end of day"));
        }

        assertThat(booked).containsExactly("transfer", "statement", "end of day");
    }
}
