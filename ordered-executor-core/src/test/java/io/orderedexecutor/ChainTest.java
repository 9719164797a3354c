package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of one chain, from close by. */
class ChainTest {
    private final List<String> ran = new ArrayList<>();
    private final List<TaskEnd> ends = new ArrayList<>();
    private final SteppedExecutor stepped = new SteppedExecutor();

    private final class TestChain extends Chain {
        private int ended;

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
            return false;
        }

        @Override
        void onEnd() {
            ended++;
        }
    }

    @Test
    void servesInOrderAndEndsOnce() {
        TestChain chain = new TestChain(() -> ran.add("first"));
        chain.handOver();
        Link second = new Link(() -> ran.add("second"));
        assertThat(chain.enqueue(second)).isTrue();
        assertThat(chain.queued()).isEqualTo(2);
        stepped.runAll();
        chain.run(); // once more, for nothing
        assertThat(ran).containsExactly("first", "second");
        assertThat(ends).hasSize(2);
        assertThat(chain.ended).isEqualTo(1);
        assertThat(chain.hasEnded()).isTrue();
        assertThat(chain.enqueue(new Link(() -> ran.add("third")))).isFalse();
    }

    @Test
    void whatIsTakenOutIsPassedOverAndNotCounted() {
        TestChain chain = new TestChain(() -> ran.add("0"));
        chain.handOver();
        List<Runnable> tasks = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        for (int i = 1; i < 1000; i++) {
            String name = String.valueOf(i);
            tasks.add(() -> ran.add(name));
            links.add(new Link(tasks.get(i - 1)));
            assertThat(chain.enqueue(links.get(i - 1))).isTrue();
        }
        List<String> left = new ArrayList<>(List.of("0"));
        for (int i = 1; i < 1000; i++) {
            if (i % 10 == 0) {
                left.add(String.valueOf(i));
            } else {
                assertThat(chain.takeOut(links.get(i - 1), tasks.get(i - 1))).isTrue();
                assertThat(chain.takeOut(links.get(i - 1), tasks.get(i - 1))).isFalse();
            }
        }
        assertThat(chain.queued()).isEqualTo(left.size());
        stepped.runAll();
        assertThat(ran).isEqualTo(left);
        assertThat(chain.queued()).isZero();
        assertThat(chain.ended).isEqualTo(1);
    }
}
