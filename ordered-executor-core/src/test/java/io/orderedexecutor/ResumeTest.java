package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A resume lets all go on that nothing else holds up, and nothing else. */
class ResumeTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(stepped).build();
    private final List<String> ran = new ArrayList<>();

    private void submit(Groups groups, String name) {
        executor.execute(groups, () -> ran.add(name));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("readers that a resume lets go run beside the reader that has run since before the pause")
    void besideAReader(boolean whole) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> reading = executor.submitAsync(Groups.shared("a"), () -> stage);
        stepped.runAll();
        if (whole) {
            executor.control().pause();
        } else {
            executor.control().pause("a");
        }
        submit(Groups.shared("a"), "reader");
        submit(Groups.shared("a", "b"), "reader of two");
        submit(Groups.exclusive("a"), "writer");
        stepped.runAll();
        assertThat(ran).isEmpty();
        if (whole) {
            executor.control().resume();
        } else {
            assertThat(executor.control().resume("a")).isTrue();
        }
        stepped.runAll();
        // readers do not conflict: either may be first
        assertThat(ran).containsExactlyInAnyOrder("reader", "reader of two");
        stage.complete(1);
        stepped.runAll();
        assertThat(reading).isCompletedWithValue(1);
        assertThat(ran).hasSize(3).endsWith("writer");
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    @DisplayName("a rollup of two paused groups waits for both to be resumed, and holds up neither's former tasks")
    void twoPausedGroups() {
        executor.control().pause("a");
        executor.control().pause("b");
        submit(Groups.exclusive("a"), "a");
        submit(Groups.exclusive("a", "b"), "both");
        submit(Groups.exclusive("b"), "b");
        stepped.runAll();
        assertThat(executor.control().resume("a")).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly("a");
        assertThat(executor.control().resume("b")).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly("a", "both", "b");
        assertThat(executor.inspect().stats().keys()).isZero();
    }
}
