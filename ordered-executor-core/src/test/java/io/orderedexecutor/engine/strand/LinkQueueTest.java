package io.orderedexecutor.engine.strand;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.fixtures.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The queue below all ordering, at the instructions where a thread may stop. */
class LinkQueueTest {
    private final List<Integer> served = new ArrayList<>();

    private static final class Queue extends LinkQueue {
        private final AtomicInteger taken = new AtomicInteger();

        Queue(Runnable first) {
            super(new Link(first));
        }

        @Override
        public void onTaking(int tasks) {
            taken.addAndGet(tasks);
        }

        boolean place(Link link) {
            return enqueue(link, Limits.UNLIMITED) == Placed.LINKED;
        }
    }

    private Runnable task(int number) {
        return () -> served.add(number);
    }

    /** Serves all that is there; false if the queue has not ended then. */
    private static boolean serve(LinkQueue queue) {
        Link link = queue.head();
        while (true) {
            Runnable task = queue.claimFrom(link);
            if (task != null) {
                task.run();
            }
            if (link.close()) {
                return true;
            }
            if (link.next() == null) {
                return false;
            }
            link = queue.advance(link);
        }
    }

    @Test
    @DisplayName("a submitter that stops before it has moved the tail hides nothing behind it")
    void aSubmitterStopsHalfWay() {
        Queue queue = new Queue(task(0));
        Link half = new Link(task(1));
        half.position = 1;
        assertThat(queue.head().append(half)).isTrue();
        assertThat(queue.place(new Link(task(2)))).isTrue();
        assertThat(queue.queued()).isEqualTo(3);
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, 1, 2);
    }

    @Test
    void aTailThatIsLeftBehindByTheServerIsNoObstacle() {
        Queue queue = new Queue(task(0));
        Link last = queue.head();
        for (int i = 1; i < 40; i++) {
            Link link = new Link(task(i));
            link.position = i;
            assertThat(last.append(link)).isTrue(); // the tail stays at the first link
            last = link;
        }
        Link link = queue.head();
        for (int i = 0; i < 35; i++) {
            queue.claimFrom(link).run();
            link = queue.advance(link);
            assertThat(queue.queued()).isEqualTo(39 - i);
        }
        assertThat(queue.place(new Link(task(40)))).isTrue();
        assertThat(queue.queued()).isEqualTo(6);
        assertThat(serve(queue)).isTrue();
        assertThat(served)
                .containsExactlyElementsOf(IntStream.range(0, 41).boxed().toList());
    }

    @Test
    void anEndedQueueTakesNothing() {
        Queue queue = new Queue(task(0));
        assertThat(queue.hasEnded()).isFalse();
        assertThat(serve(queue)).isTrue();
        assertThat(queue.hasEnded()).isTrue();
        assertThat(queue.place(new Link(task(1)))).isFalse();
        assertThat(queue.queued()).isZero();
        assertThat(served).containsExactly(0);
    }

    @Test
    @DisplayName("a queue takes as many tasks as may wait, whatever is served or taken out meanwhile")
    void capacity() {
        Queue queue = new Queue(task(0));
        Runnable one = task(1);
        Link link = new Link(one);
        assertThat(queue.enqueue(link, 2)).isEqualTo(Placed.LINKED);
        assertThat(queue.enqueue(new Link(task(2)), 2)).isEqualTo(Placed.FULL);
        queue.claimFrom(queue.head()).run();
        assertThat(queue.enqueue(new Link(task(3)), 2)).isEqualTo(Placed.LINKED);
        assertThat(queue.enqueue(new Link(task(4)), 2)).isEqualTo(Placed.FULL);
        assertThat(queue.takeOut(link, one)).isTrue();
        assertThat(queue.enqueue(new Link(task(5)), 2)).isEqualTo(Placed.LINKED);
        assertThat(queue.enqueue(new Link(task(6)), 2)).isEqualTo(Placed.FULL);
        assertThat(serve(queue)).isTrue();
        assertThat(queue.enqueue(new Link(task(7)), 2)).isEqualTo(Placed.ENDED);
        assertThat(served).containsExactly(0, 3, 5);
    }

    @Test
    @DisplayName("what is taken out leaves no more links than tasks, whatever the order")
    void vacatedLinksAreSwept() {
        SplittableRandom random = new SplittableRandom(42);
        Queue queue = new Queue(task(0));
        List<Link> links = new ArrayList<>();
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 1; i <= 10_000; i++) {
            Runnable task = task(i);
            Link link = new Link(task);
            assertThat(queue.place(link)).isTrue();
            links.add(link);
            tasks.add(task);
        }
        int left = 10_001;
        while (!links.isEmpty()) {
            int victim = random.nextInt(links.size());
            Link link = links.get(victim);
            Runnable task = tasks.get(victim);
            links.set(victim, links.get(links.size() - 1));
            tasks.set(victim, tasks.get(tasks.size() - 1));
            links.remove(links.size() - 1);
            tasks.remove(tasks.size() - 1);
            assertThat(queue.takeOut(link, task)).isTrue();
            assertThat(queue.takeOut(link, task)).as("twice").isFalse();
            left--;
            assertThat(queue.queued()).isEqualTo(left);
            if (left % 500 == 1) {
                assertThat(linksOf(queue)).isLessThanOrEqualTo(2 * left + 33);
            }
        }
        assertThat(linksOf(queue)).isLessThanOrEqualTo(34);
        assertThat(queue.place(new Link(task(-1)))).isTrue();
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, -1);
        assertThat(queue.queued()).isZero();
        assertThat(queue.taken)
                .as("each task is taken once, and the server's own")
                .hasValue(10_002);
    }

    @Test
    @DisplayName("a queue that was swept and served along still knows how many tasks wait")
    void whatWasSweptIsNotCountedForEver() {
        Queue queue = new Queue(task(0));
        List<Link> links = new ArrayList<>();
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            tasks.add(task(i));
            links.add(new Link(tasks.get(i - 1)));
            assertThat(queue.place(links.get(i - 1))).isTrue();
        }
        for (int i = 0; i < 49; i++) {
            assertThat(queue.takeOut(links.get(i), tasks.get(i))).isTrue();
        }
        assertThat(linksOf(queue)).as("after a sweep").isLessThan(40);
        Link link = queue.head();
        queue.claimFrom(link).run();
        while (link.next() != null) {
            link = queue.advance(link);
            Runnable task = queue.claimFrom(link);
            if (task != null) {
                task.run();
            }
        }
        assertThat(queue.queued()).isZero();
        assertThat(queue.enqueue(new Link(task(51)), 1)).isEqualTo(Placed.LINKED);
        assertThat(queue.queued()).isEqualTo(1);
        assertThat(queue.enqueue(new Link(task(52)), 1)).isEqualTo(Placed.FULL);
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, 50, 51);
    }

    private static int linksOf(LinkQueue queue) {
        int links = 0;
        for (Link link = queue.head(); link != null; link = link.next()) {
            links++;
        }
        return links;
    }

    @Test
    @DisplayName("a queue never seems to be fuller than it is, while the server passes what was taken out")
    void neverSeemsToBeFuller() {
        Queue queue = new Queue(task(0));
        queue.claimFrom(queue.head()).run();
        AtomicBoolean passedAll = new AtomicBoolean();
        Thread server = new Thread(() -> {
            Link link = queue.head();
            for (int i = 0; i < 2_000_000; i++) {
                queue.enqueueVacated();
                link = queue.advance(link);
                queue.claimFrom(link);
            }
            passedAll.set(true);
        });
        server.start();
        int most = 0;
        while (!passedAll.get() && server.isAlive()) {
            most = Math.max(most, queue.queued());
        }
        Patience.join(server);
        assertThat(passedAll).isTrue();
        assertThat(most)
                .as("tasks that seemed to wait, of which there were none")
                .isZero();
        assertThat(queue.enqueue(new Link(task(1)), 1)).isEqualTo(Placed.LINKED);
        assertThat(queue.queued()).isEqualTo(1);
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, 1);
    }

    @RepeatedTest(20)
    @DisplayName("every task has one end, and those that are served keep the order of their submitter")
    void submittersTakersAndServer() {
        long seed = System.nanoTime();
        int submitters = 2;
        int perSubmitter = 20_000;
        AtomicIntegerArray ends = new AtomicIntegerArray(submitters * perSubmitter);
        AtomicInteger disorder = new AtomicInteger();
        int[] lastServed = {-1, -1};
        Queue queue = new Queue(() -> {});
        CountDownLatch submitted = new CountDownLatch(submitters);
        Runnable end = () -> {};
        List<Thread> threads = new ArrayList<>();
        for (int s = 0; s < submitters; s++) {
            int submitter = s;
            SplittableRandom random = new SplittableRandom(seed + s);
            threads.add(new Thread(() -> {
                for (int i = 0; i < perSubmitter; i++) {
                    int number = i;
                    Runnable task = () -> {
                        ends.incrementAndGet(submitter * perSubmitter + number);
                        if (lastServed[submitter] >= number) {
                            disorder.incrementAndGet();
                        }
                        lastServed[submitter] = number;
                    };
                    Link link = new Link(task);
                    if (!queue.place(link)) {
                        disorder.incrementAndGet();
                    }
                    if (random.nextInt(3) > 0 && queue.takeOut(link, task)) {
                        ends.incrementAndGet(submitter * perSubmitter + number);
                    }
                }
                submitted.countDown();
            }));
        }
        Thread server = new Thread(() -> {
            Link link = queue.head();
            for (Runnable task = queue.claimFrom(link); task != end; task = queue.claimFrom(link)) {
                if (task != null) {
                    task.run();
                }
                if (link.next() != null) {
                    link = queue.advance(link);
                }
            }
        });
        server.start();
        threads.forEach(Thread::start);
        Patience.await(submitted);
        assertThat(queue.place(new Link(end))).isTrue();
        Patience.join(server);
        for (int i = 0; i < ends.length(); i++) {
            assertThat(ends.get(i)).as("ends of task %d, seed %d", i, seed).isEqualTo(1);
        }
        assertThat(disorder).as("seed %d", seed).hasValue(0);
        assertThat(queue.queued()).isZero();
    }
}
