package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: what a compatibility class does when it is compared wedges nothing, and is not called under a lock. */
class GroupedCompatibilityClassTest {
    private final SteppedGroups groups = new SteppedGroups();
    private final List<String> ran = new ArrayList<>();
    private final AtomicInteger comparedWithNull = new AtomicInteger();

    /** A class with the hash code of no class at all, which expects to be compared with its like only. */
    private final class Fussy {
        @Override
        public int hashCode() {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            if (other == null) {
                comparedWithNull.incrementAndGet();
                throw new IllegalStateException("compared with null");
            }
            return other instanceof Fussy;
        }
    }

    private Peer peer(String name, Object compatibilityClass) {
        return new Peer(name, () -> ran.add(name), other -> false, compatibilityClass);
    }

    @Test
    @DisplayName("a compatibility class with hash code 0 whose equals does not expect null does not wedge its executor")
    void hashCodeZero() {
        GroupedExecutor executor = groups.executor;
        executor.execute(peer("one", new Fussy()));
        executor.execute(peer("two", new Fussy()));
        executor.execute(peer("three", null));
        executor.execute(peer("four", new Fussy()));
        groups.run();
        assertThat(ran).containsExactly("one", "two", "three", "four");
        assertThat(comparedWithNull).hasValue(0);
        groups.assertAllEnded(4, 0, 0);
    }

    @Test
    void aClassThatThrowsWhenItIsComparedLetsTheTasksThemselvesDecide() {
        GroupedExecutor executor = groups.executor;
        for (String name : List.of("one", "two", "three")) {
            executor.execute(peer(name, new Object() {
                @Override
                public int hashCode() {
                    return 1;
                }

                @Override
                public boolean equals(Object other) {
                    throw new IllegalStateException("compared");
                }
            }));
        }
        assertThat(groups.steps.waiting()).as("no two are compatible").isEqualTo(1);
        groups.run();
        assertThat(ran).containsExactly("one", "two", "three");
        groups.assertAllEnded(3, 0, 0);
    }
}
