package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.run.Served;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.EndlessPatience;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R8: a submission takes room and a place at one visit of its key, and leaves neither behind if it is refused. */
class BoundedEntryTest {
    private static final String KEY = "a";
    private static final String OTHER = "b";

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final List<Object> ran = Collections.synchronizedList(new ArrayList<>());

    private KeyedEngine engine(int capacity, int keyCapacity) {
        return Engines.stripes(stepped, capacity, keyCapacity, Overflow.reject(), EndlessPatience.PLATFORM);
    }

    private void submit(KeyedEngine engine, Object key) {
        engine.submit(key, () -> ran.add(key), null);
    }

    private void assertRefused(KeyedEngine engine, Object key, String because) {
        assertThatThrownBy(() -> submit(engine, key))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining(because);
    }

    /** That a key has room for so many tasks and no more, all of which run. */
    private void assertRoom(KeyedEngine engine, Object key, int room) {
        ran.clear();
        for (int i = 0; i < room; i++) {
            submit(engine, key);
        }
        assertRefused(engine, key, "has no room");
        stepped.runAll();
        assertThat(ran).hasSize(room).containsOnly(key);
    }

    @Test
    @DisplayName("a full executor refuses a key without tasks, and keeps no order for it")
    void refusalsKeepNoOrder() {
        KeyedEngine engine = engine(1, 10);
        submit(engine, KEY);
        assertRefused(engine, OTHER, "its capacity is 1 queued tasks");
        assertThat(engine.orderOf(OTHER)).isNull();
        assertThat(engine.stats().keys()).isEqualTo(1);
        stepped.runAll();
        assertThat(ran).containsExactly(KEY);
        assertRoom(engine, OTHER, 1);
    }

    @Test
    @DisplayName("a key whose place finds no room keeps no order")
    void placesWithoutRoomKeepNoOrder() {
        KeyedEngine engine = engine(1, 1);
        Place place = new Served.Exclusive((Runnable) ran::clear, engine.orders);
        assertThat(engine.orders.enter(place, KEY, noRoom -> false)).isEqualTo(Orders.EntryOutcome.NO_ROOM);
        assertThat(engine.orderOf(KEY)).isNull();
        assertThat(place.hasEntered()).isFalse();
    }

    @Test
    @DisplayName("a full executor takes no room in a key that stays")
    void refusalsTakeNoRoomInTheKey() {
        KeyedEngine engine = engine(2, 2);
        engine.pause(OTHER);
        submit(engine, OTHER);
        submit(engine, KEY);
        for (int i = 0; i < 5; i++) {
            assertRefused(engine, OTHER, "its capacity is 2 queued tasks");
        }
        stepped.runAll();
        submit(engine, OTHER);
        assertRefused(engine, OTHER, "its key capacity is 2 queued tasks");
        assertThat(engine.resume(OTHER)).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly(KEY, OTHER, OTHER);
    }

    @Test
    @DisplayName("a full key takes no room in the executor")
    void refusalsTakeNoRoomInTheExecutor() {
        KeyedEngine engine = engine(3, 1);
        submit(engine, KEY);
        for (int i = 0; i < 5; i++) {
            assertRefused(engine, KEY, "its key capacity is 1 queued tasks");
        }
        submit(engine, OTHER);
        submit(engine, "c");
        assertRefused(engine, "d", "its capacity is 3 queued tasks");
        stepped.runAll();
        assertThat(ran).containsExactly(KEY, OTHER, "c");
    }

    /** A key that cannot be compared with the others. */
    private record Incomparable(int number) {
        @Override
        public boolean equals(@Nullable Object other) {
            throw new IllegalStateException("in the test");
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private void assertKeysThatThrowTakeNoRoom(KeyedEngine engine) {
        submit(engine, new Incomparable(1));
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> submit(engine, new Incomparable(2)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("in the test");
        }
        stepped.runAll();
        assertThat(ran).hasSize(1);
        assertRoom(engine, OTHER, 2);
    }

    @Test
    @DisplayName("a key that throws when it is compared takes no room in the executor")
    void keysThatThrow() {
        assertKeysThatThrowTakeNoRoom(engine(2, Settings.UNLIMITED));
    }

    @Test
    @DisplayName("the same where keys have bounds, too")
    void boundedKeysThatThrow() {
        assertKeysThatThrowTakeNoRoom(engine(2, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, Settings.UNLIMITED})
    @DisplayName("a task that the pool refuses gives its room in the executor back once")
    void refusedByThePool(int keyCapacity) {
        KeyedEngine engine = Engines.stripes(
                task -> {
                    if (ran.isEmpty()) {
                        throw new RejectedExecutionException("in the test");
                    }
                    stepped.execute(task);
                },
                2,
                keyCapacity,
                Overflow.reject(),
                EndlessPatience.PLATFORM);
        engine.pause(OTHER);
        submit(engine, OTHER);
        for (int i = 0; i < 5; i++) {
            assertRefused(engine, KEY, "in the test");
        }
        ran.add("no more refusals");
        submit(engine, KEY);
        assertRefused(engine, KEY, "its capacity is 2 queued tasks");
        stepped.runAll();
        assertThat(ran).containsExactly("no more refusals", KEY);
    }

    @Test
    @DisplayName("a submission to a bounded key waits for the thread that has the key, and takes its room then")
    void waitsForTheKey() {
        KeyedEngine engine = engine(2, 1);
        engine.pause(KEY);
        Order order = engine.orderOf(KEY);
        order.bin().take();
        FutureTask<Void> submission = new FutureTask<>(() -> submit(engine, KEY), null);
        Thread submitter = new Thread(submission, "submitter");
        submitter.start();
        Patience.awaitParked(submitter);
        engine.orders.letGo(order.bin());
        Patience.get(submission);
        assertRefused(engine, KEY, "its key capacity is 1 queued tasks");
        assertThat(engine.resume(KEY)).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly(KEY);
    }

    @Test
    @DisplayName("a submission to a bounded executor goes on while another thread has its key, and has taken its room")
    void postsARequest() {
        KeyedEngine engine = engine(1, Settings.UNLIMITED);
        engine.pause(KEY);
        Order order = engine.orderOf(KEY);
        order.bin().take();
        FutureTask<Void> submission = new FutureTask<>(() -> submit(engine, KEY), null);
        new Thread(submission, "submitter").start();
        Patience.get(submission);
        assertRefused(engine, OTHER, "its capacity is 1 queued tasks");
        engine.orders.letGo(order.bin());
        assertThat(engine.resume(KEY)).isTrue();
        stepped.runAll();
        assertThat(ran).containsExactly(KEY);
        assertRoom(engine, OTHER, 1);
    }

    @Test
    @DisplayName("submitters that are refused now and then, on several threads: all room is back in the end")
    void allRoomIsBack() throws InterruptedException {
        int submissions = 5_000;
        ExecutorService pool = Executors.newFixedThreadPool(2);
        KeyedEngine engine = Engines.stripes(pool, 4, 2, Overflow.reject(), EndlessPatience.PLATFORM);
        OrderRecorder recorder = new OrderRecorder();
        List<OrderRecorder.Lane> lanes =
                Stream.of("a", "b", "c", "d", "e", "f").map(recorder::lane).toList();
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<OrderRecorder.Source> sources =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            submitters.add(new Thread(() -> {
                for (int task = 0; task < submissions; task++) {
                    int lane = task % lanes.size();
                    Runnable next = sources.get(lane).next();
                    boolean isAccepted = false;
                    while (!isAccepted) {
                        try {
                            engine.submit(lanes.get(lane), next, null);
                            isAccepted = true;
                        } catch (RejectedExecutionException noRoom) {
                            Thread.onSpinWait();
                        }
                    }
                }
            }));
        }
        try {
            submitters.forEach(Thread::start);
            submitters.forEach(Patience::join);
            assertThat(engine.service().drain(Duration.ofSeconds(Patience.SECONDS)))
                    .isTrue();
        } finally {
            pool.shutdown();
        }
        recorder.assertAllRanOnceInOrder();
        Room.Shared room = engine.service().rooms().inExecutor();
        assertThat(room.taken()).isEqualTo(room.givenBack()).isGreaterThanOrEqualTo(3L * submissions);
    }

    @Test
    @DisplayName("a shutdown between the submission and its place gives the room back, and refuses")
    void closedBefore() {
        KeyedEngine engine = engine(1, Settings.UNLIMITED);
        engine.orders.close();
        for (int i = 0; i < 3; i++) {
            assertRefused(engine, KEY, "shut down");
        }
        assertThat(engine.service().rooms().inExecutor().taken()).isZero();
        assertThat(ran).isEmpty();
    }
}
