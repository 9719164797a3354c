package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Groups;
import io.orderedexecutor.SelfWaitException;
import io.orderedexecutor.engine.order.Bin;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What threads do that find a bin taken: the holder is this thread, which has stopped in the middle. */
class BinTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final KeyedEngine engine = Engines.groups(steps);
    private final Orders orders = engine.service().orders();

    /** A key that only the application can compare. */
    private record Account(String name) {}

    private TaskFuture<Boolean> submit(Object key, String name) {
        TaskFuture<Boolean> task = new TaskFuture.Call<>(() -> ran.add(name));
        engine.submit(Groups.exclusive(key), task, null);
        return task;
    }

    /** Time passes as it does, but threads have little patience; what is to run elsewhere runs at once. */
    private static final class Impatient extends Platform {
        private final CountDownLatch parks = new CountDownLatch(20);

        @Override
        public long patienceNanos() {
            return TimeUnit.MILLISECONDS.toNanos(1);
        }

        @Override
        public void parkNanos(Object blocker, long nanos) {
            super.parkNanos(blocker, nanos);
            parks.countDown();
        }

        @Override
        public Runnable scheduleAsync(long nanos, Runnable action) {
            action.run();
            return () -> {};
        }
    }

    @Test
    @DisplayName("a wait that is longer than any thread needs the bin is reported, once")
    void aLongWait() {
        Impatient platform = new Impatient();
        KeyedEngine impatient = Engines.groups(steps, FailurePolicy.proceed(), platform);
        Account account = new Account("a");
        impatient.submit(Groups.exclusive(account), () -> ran.add("first"), null);
        Orders impatientOrders = impatient.service().orders();
        Bin bin = impatientOrders.find(account).bin();
        bin.take();
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        Thread submitter =
                new Thread(() -> impatient.submit(Groups.exclusive(account), () -> ran.add("second"), null), "waiting");
        submitter.setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        submitter.start();
        Patience.await(platform.parks);
        impatientOrders.letGo(bin);
        Patience.join(submitter);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(reported)
                .singleElement()
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContainingAll("'waiting'", "for a lock of grouped executor 'bank'", "thread dump");
    }

    private Thread start(Runnable action) {
        Thread thread = new Thread(action);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private Bin binOf(Object key) {
        return orders.find(key).bin();
    }

    private void release(Bin bin) {
        orders.letGo(bin);
    }

    @Test
    @DisplayName("who submits with a key that the JDK compares leaves the place with whoever has the bin, and goes on")
    void placesAreLeft() {
        submit("a", "first");
        Bin bin = binOf("a");
        bin.take();
        Patience.join(start(() -> {
            submit("a", "second");
            submit("a", "third");
        }));
        // it leaves its exit there, and goes on
        Patience.join(start(steps::runAll));
        assertThat(ran).containsExactly("first");
        release(bin);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second", "third");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    void whoLooksForAKeyFindsThePlaceThatItHasLeftWithAnother() {
        submit("a", "first");
        Bin bin = binOf("a");
        steps.runAll();
        bin.take();
        List<Boolean> found = new CopyOnWriteArrayList<>();
        Thread submitter = start(() -> {
            submit("a", "second");
            found.add(orders.find("a") != null);
        });
        Patience.awaitParked(submitter);
        release(bin);
        Patience.join(submitter);
        assertThat(found).containsExactly(true);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    void whoLooksForAKeyDoesNotFindTheOrderThatItsLastTaskIsLeaving() {
        submit("a", "first");
        Bin bin = binOf("a");
        bin.take();
        // its exit is left there, and closes the order; the place after that opens another one
        Patience.join(start(steps::runAll));
        List<Place> found = new CopyOnWriteArrayList<>();
        Thread submitter = start(() -> {
            submit("a", "second");
            found.addAll(engine.service().survey().placesIn(orders.find("a")));
        });
        Patience.awaitParked(submitter);
        release(bin);
        Patience.join(submitter);
        assertThat(found).hasSize(1);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    void theStepsBeforeAPlaceAreCopiedWithoutThoseBehindIt() {
        submit("a", "first");
        submit("a", "second");
        submit("a", "third");
        List<Place> places = engine.service().survey().placesIn(orders.find("a"));
        Order order = orders.find("a");
        assertThat(orders.under(order.bin(), () -> order.upTo(places.get(1))))
                .containsExactly(places.get(0).step(0), places.get(1).step(0));
        steps.runAll();
        assertThat(ran).containsExactly("first", "second", "third");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    void aTaskThatWaitsForOneThatItHasLeftWithAnotherIsTold() {
        List<String> told = new CopyOnWriteArrayList<>();
        TaskFuture<Boolean> first = new TaskFuture.Call<>(() -> {
            TaskFuture<Boolean> second = submit("a", "second");
            try {
                second.get();
            } catch (SelfWaitException e) {
                told.add(e.getMessage());
            }
            return ran.add("first");
        });
        engine.submit(Groups.exclusive("a"), first, null);
        Bin bin = binOf("a");
        bin.take();
        Thread worker = start(steps::runAll);
        Patience.awaitParked(worker);
        release(bin);
        Patience.join(worker);
        assertThat(told).singleElement().asString().startsWith("this thread would wait for itself");
        assertThat(ran).containsExactly("first", "second");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    @DisplayName(
            "a place that is cancelled before whoever has the bin has taken it in never runs, and holds up no other")
    void leftAndCancelled() {
        submit("a", "first");
        Bin bin = binOf("a");
        bin.take();
        Patience.join(start(() -> submit("a", "second").cancel(false)));
        Patience.join(start(() -> submit("a", "third")));
        release(bin);
        steps.runAll();
        assertThat(ran).containsExactly("first", "third");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("who submits with a key of the application, or with several, waits for the bin")
    void othersWait() {
        submit(new Account("a"), "first");
        Bin bin = binOf(new Account("a"));
        bin.take();
        Thread foreign = start(() -> submit(new Account("a"), "second"));
        Patience.awaitParked(foreign);
        Thread several = start(() ->
                engine.submit(Groups.exclusive(new Account("a"), new Account("b")), () -> ran.add("third"), null));
        Patience.awaitParked(several);
        release(bin);
        Patience.join(foreign);
        Patience.join(several);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second", "third");
        assertThat(orders.isEmpty()).isTrue();
    }

    @Test
    @DisplayName(
            "what was left before a shutdown is accepted, and what comes after it is refused, though the bin is taken")
    void shutdown() {
        submit("a", "first");
        Bin bin = binOf("a");
        bin.take();
        Patience.join(start(() -> submit("a", "second")));
        Thread closer = start(engine.service()::shutdown);
        Patience.awaitParked(closer);
        assertThatThrownBy(() -> submit("a", "third")).isInstanceOf(RejectedExecutionException.class);
        release(bin);
        Patience.join(closer);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(engine.service().lifecycle().isTerminated()).isTrue();
    }

    @Test
    @DisplayName("an interrupt of a thread that waits for a bin is kept for later")
    void interrupted() {
        submit(new Account("a"), "first");
        Bin bin = binOf(new Account("a"));
        bin.take();
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Thread foreign = start(() -> {
            submit(new Account("a"), "second");
            interrupted.add(Thread.currentThread().isInterrupted());
        });
        Patience.awaitParked(foreign);
        foreign.interrupt();
        release(bin);
        Patience.join(foreign);
        assertThat(interrupted).containsExactly(true);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
    }
}
