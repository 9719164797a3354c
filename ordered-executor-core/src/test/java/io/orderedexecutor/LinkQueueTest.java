package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The queue below all ordering, at the instructions where a thread may stop. */
class LinkQueueTest {
    private final List<Integer> served = new ArrayList<>();

    private Runnable task(int number) {
        return () -> served.add(number);
    }

    /** Nobody counts what is taken. */
    private static final class PlainQueue extends LinkQueue {
        PlainQueue(Runnable first) {
            super(first);
        }

        @Override
        void onTaken() {}
    }

    private static boolean place(LinkQueue queue, Link link) {
        return queue.enqueue(link, Bounds.UNLIMITED) == LinkQueue.Placed.LINKED;
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
    @DisplayName("R9: a submitter that stops before it has moved the tail hides nothing behind it")
    void aSubmitterStopsHalfWay() {
        LinkQueue queue = new PlainQueue(task(0));
        Link half = new Link(task(1));
        half.position = 1;
        assertThat(queue.append(half)).isTrue();
        assertThat(place(queue, new Link(task(2)))).isTrue();
        assertThat(queue.queued()).isEqualTo(3);
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, 1, 2);
    }

    @Test
    void aTailThatIsLeftBehindByTheServerIsNoObstacle() {
        LinkQueue queue = new PlainQueue(task(0));
        Link last = queue;
        for (int i = 1; i < 10; i++) {
            Link link = new Link(task(i));
            link.position = i;
            assertThat(last.append(link)).isTrue(); // the tail stays at the first link
            last = link;
        }
        Link link = queue.head();
        for (int i = 0; i < 5; i++) {
            queue.claimFrom(link).run();
            link = queue.advance(link);
        }
        assertThat(queue.isPassed()).isTrue();
        assertThat(queue.queued()).isEqualTo(5);
        assertThat(place(queue, new Link(task(10)))).isTrue();
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    }

    @Test
    void anEndedQueueTakesNothing() {
        LinkQueue queue = new PlainQueue(task(0));
        assertThat(queue.hasEnded()).isFalse();
        assertThat(serve(queue)).isTrue();
        assertThat(queue.hasEnded()).isTrue();
        assertThat(place(queue, new Link(task(1)))).isFalse();
        assertThat(queue.queued()).isZero();
        assertThat(served).containsExactly(0);
    }

    @Test
    @DisplayName("R7: what is taken out leaves no more links than tasks, whatever the order")
    void vacatedLinksAreSwept() {
        SplittableRandom random = new SplittableRandom(42);
        LinkQueue queue = new PlainQueue(task(0));
        List<Link> links = new ArrayList<>();
        List<Runnable> tasks = new ArrayList<>();
        for (int i = 1; i <= 10_000; i++) {
            Runnable task = task(i);
            Link link = new Link(task);
            assertThat(place(queue, link)).isTrue();
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
        assertThat(place(queue, new Link(task(-1)))).isTrue();
        assertThat(serve(queue)).isTrue();
        assertThat(served).containsExactly(0, -1);
        assertThat(queue.queued()).isZero();
    }

    private static int linksOf(LinkQueue queue) {
        int links = 0;
        for (Link link = queue.head(); link != null; link = link.next()) {
            links++;
        }
        return links;
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
        LinkQueue queue = new PlainQueue(() -> {});
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
                    if (!place(queue, link)) {
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
        assertThat(place(queue, new Link(end))).isTrue();
        Patience.join(server);
        for (int i = 0; i < ends.length(); i++) {
            assertThat(ends.get(i)).as("ends of task %d, seed %d", i, seed).isEqualTo(1);
        }
        assertThat(disorder).as("seed %d", seed).hasValue(0);
        assertThat(queue.queued()).isZero();
    }
}
