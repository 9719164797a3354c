package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.order.Grants;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.run.Served;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: dependent actions of a flush hold up no place that was granted together with it. */
class OverLastTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final KeyedEngine engine = Engines.groups(stepped);
    private final List<String> done = new ArrayList<>();

    private final class Work extends Place.Shared implements Served {
        private final @Nullable Grants grants;

        /** @param grants what its leaving grants; null for nothing */
        Work(Runnable work, @Nullable Grants grants) {
            super(work, engine.orders, "key", 0);
            this.grants = grants;
        }

        @Override
        protected @Nullable Grants leaveElsewhere() {
            return grants;
        }
    }

    private final class Flush extends Place.Shared implements Served {
        private final Runnable dependentAction;

        Flush(Runnable dependentAction) {
            super("flush", engine.orders, "key", 0);
            this.dependentAction = dependentAction;
        }

        @Override
        public boolean isOverWhenGranted() {
            return true;
        }

        @Override
        public boolean endsWhenGranted() {
            dependentAction.run();
            return true;
        }
    }

    @Test
    @DisplayName("a thread that goes on with another place leaves the flush to another thread")
    void threadThatServes() {
        Grants granted = Grants.of(new Flush(() -> done.add("flush")));
        granted.add(new Work(() -> done.add("next"), null));
        new Work(() -> done.add("first"), granted).run();
        assertThat(done).containsExactly("first", "next");
        stepped.runAll();
        assertThat(done).containsExactly("first", "next", "flush");
    }

    @Test
    @DisplayName("a thread that has nothing else to run ends the flush itself, and what that grants")
    void threadThatHasNothingElse() {
        Grants last = Grants.of(new Flush(() -> done.add("flush")));
        new Work(() -> done.add("first"), last).run();
        assertThat(done).containsExactly("first", "flush");
        assertThat(stepped.waiting()).isZero();
    }
}
