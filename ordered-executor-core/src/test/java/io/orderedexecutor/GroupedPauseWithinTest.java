package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pausing a group holds every task that has it, in whatever mode: also what is within it. */
class GroupedPauseWithinTest {
    private final SteppedGroups groups = new SteppedGroups();
    private final Key account = Key.of("acme", "1");

    @Test
    @DisplayName("A pause of acme/1 holds what has that group, and not a task that has acme exclusively before it")
    void pausedWithin() {
        groups.executor.control().pause(account);
        groups.execute(Groups.exclusive("acme"), "books");
        groups.execute(Groups.within("acme", "1"), "held");
        groups.execute(Groups.exclusive("acme"), "behind it");
        groups.execute(Groups.exclusive("other"), "other");
        assertThat(groups.run()).containsExactlyInAnyOrder("books", "other");
        assertThat(groups.executor.control().resume(account)).isTrue();
        assertThat(groups.run()).containsExactly("held", "behind it");
        groups.assertAllEnded(4, 0, 0);
    }

    @Test
    @DisplayName("A pause of acme/1 holds a barrier")
    void barrier() {
        groups.executor.control().pause(account);
        groups.execute(Groups.all(), "barrier");
        assertThat(groups.run()).isEmpty();
        assertThat(groups.executor.control().resume(account)).isTrue();
        assertThat(groups.run()).containsExactly("barrier");
        groups.assertAllEnded(1, 0, 0);
    }

    @Test
    @DisplayName("A pause of acme/1 holds neither acme/2 nor what acme/2 has within it")
    void siblings() {
        groups.executor.control().pause(account);
        groups.execute(Groups.within("acme", "2"), "sibling");
        groups.execute(Groups.within(Key.of("acme", "2"), "x"), "nephew");
        groups.execute(Groups.within(Key.of("acme", "1"), "x"), "child");
        assertThat(groups.run()).containsExactly("sibling", "nephew");
        assertThat(groups.executor.control().resume(account)).isTrue();
        assertThat(groups.run()).containsExactly("child");
        groups.assertAllEnded(3, 0, 0);
    }
}
