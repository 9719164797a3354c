package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What only a thread that stops at one certain instruction can bring about. */
class ChainTest {
    private final List<String> ran = new ArrayList<>();
    private final List<TaskEnd> ends = new ArrayList<>();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private boolean stopping;

    private final class TestChain extends Chain {
        private boolean ended;

        TestChain(Runnable first) {
            super(first);
        }

        @Override
        Workers workers() {
            return new BorrowedWorkers(stepped, Turn.DEFAULT);
        }

        @Override
        void onTaskEnd(TaskEnd end) {
            ends.add(end);
        }

        @Override
        void onRejected() {
            throw new AssertionError("nothing is refused here");
        }

        @Override
        boolean isStopping() {
            return stopping;
        }

        @Override
        void onEnd() {
            ended = true;
        }
    }

    /** Does the first half of an append, as a thread does that is then kept from its processor. */
    private static Link becomeTail(Chain chain, Link before, Runnable task) throws ReflectiveOperationException {
        VarHandle tail = MethodHandles.privateLookupIn(Chain.class, MethodHandles.lookup())
                .findVarHandle(Chain.class, "tail", Link.class);
        Link link = new Link(task);
        link.position = before.position + 1;
        assertThat(tail.compareAndSet(chain, before, link)).isTrue();
        return link;
    }

    @Test
    @DisplayName("R4: a submitter that stops half-way holds no thread up, and hands the chain over when it goes on")
    void aSubmitterStopsHalfWay() throws ReflectiveOperationException {
        TestChain chain = new TestChain(() -> ran.add("first"));
        chain.handOver(chain);
        Link half = becomeTail(chain, chain, () -> ran.add("half"));
        assertThat(chain.append(new Link(() -> ran.add("behind")))).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly("first");
        assertThat(chain.ended).isFalse();
        assertThat(chain.queued()).isEqualTo(2);
        if (chain.linkNext(half)) {
            chain.handOver(half);
        }
        stepped.runAll();
        assertThat(ran).containsExactly("first", "half", "behind");
        assertThat(ends).hasSize(3);
        assertThat(chain.ended).isTrue();
    }

    @Test
    @DisplayName("R9: shutdownNow does not miss tasks behind one whose submitter stops half-way")
    void aShutdownMeetsASubmitterThatStopsHalfWay() throws ReflectiveOperationException {
        TestChain chain = new TestChain(() -> ran.add("first"));
        chain.handOver(chain);
        Link half = becomeTail(chain, chain, () -> ran.add("half"));
        Runnable behind = () -> ran.add("behind");
        assertThat(chain.append(new Link(behind))).isTrue(); // accepted: its submitter goes on
        stopping = true;
        List<Runnable> takenBack = new ArrayList<>();
        chain.stop(takenBack);
        if (chain.linkNext(half)) {
            chain.handOver(half);
        }
        stepped.runAll();
        assertThat(chain.ended).isTrue();
        assertThat(ends).hasSize(3);
        assertThat(ran).as("what ran after shutdownNow had returned").doesNotContain("first", "behind");
        assertThat(takenBack).contains(behind).hasSizeBetween(2, 3);
    }
}
