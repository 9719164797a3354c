package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R1, R2: a caller that casts a future to {@link Runnable} cannot run its task out of its turn. */
class FutureAsTaskTest {
    private static final String REFUSAL = "so it can neither be run nor submitted as a task";

    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().name("ledger").executor(stepped).build();
    private final GroupedExecutor groups =
            GroupedExecutor.builder().executor(stepped).build();
    private final OrderedOutputExecutor outputs =
            OrderedOutputExecutor.builder().executor(stepped).build();
    private final TicketSequencer sequencer =
            TicketSequencer.builder().executor(stepped).build();
    private final Reservation firstTicket = sequencer.tryNext();
    private final AtomicInteger runs = new AtomicInteger();
    private final CompletableFuture<Integer> stage = new CompletableFuture<>();

    @AfterEach
    void nothingIsLeft() {
        firstTicket.close();
        stage.complete(0);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().queued()).isZero();
        assertThat(groups.inspect().stats().queued()).isZero();
        Patience.terminate(executor);
        Patience.terminate(groups);
        Patience.terminate(outputs);
    }

    private int count() {
        return runs.incrementAndGet();
    }

    private CompletionStage<Integer> hold() {
        count();
        return stage;
    }

    /** A task that has not ended. */
    enum Unended {
        QUEUED(test -> test.executor.submit("a", test::count)),
        QUEUED_ASYNC(test -> test.executor.submitAsync("a", test::hold)),
        RUNNING_ASYNC(test -> {
            CompletableFuture<?> future = test.executor.submitAsync("a", test::hold);
            test.stepped.runAll();
            return future;
        }),
        LATEST(test -> test.executor.with(WhenBusy.latest("slot")).submit("a", test::count)),
        RESERVED(test -> test.executor.reserve("a").submit(test::count)),
        OF_THE_VIEW(
                test -> (CompletableFuture<?>) test.executor.asExecutorService().submit(test::count)),
        OF_GROUPS(test -> test.groups.submit(Groups.exclusive("a", "b"), test::count)),
        OF_A_TICKET(test -> test.sequencer.tryNext().submit(test::count)),
        ITEM(test -> test.executor
                .<String, String>batchTo((stripe, items) -> test.count())
                .build()
                .submit("a", "item")),
        PIECE(test -> test.outputs.open(written -> {}).submit(test::count));

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final Function<FutureAsTaskTest, CompletableFuture<?>> submission;

        Unended(Function<FutureAsTaskTest, CompletableFuture<?>> submission) {
            this.submission = submission;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("run throws until the future is complete; the task runs once, in its turn")
    void run(Unended task) {
        CompletableFuture<?> future = task.submission.apply(this);
        executor.execute("a", source.next());
        assertThatThrownBy(((Runnable) future)::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(REFUSAL);
        assertThat(future).isNotDone();
        assertThat(runs).hasValue(task == Unended.RUNNING_ASYNC ? 1 : 0);
        endsInItsTurn(future);
    }

    private void endsInItsTurn(CompletableFuture<?> future) {
        firstTicket.close();
        stepped.runAll();
        stage.complete(0);
        stepped.runAll();
        assertThat(future).isCompleted();
        assertThat(runs).hasValue(1);
        ((Runnable) future).run();
        executor.execute("b", (Runnable) future);
        stepped.runAll();
        assertThat(runs).hasValue(1);
    }

    /** A submission of a {@link Runnable}. */
    enum Way {
        STRIPE((test, task) -> test.executor.execute("b", task)),
        STRIPE_OF_A_VIEW((test, task) -> test.executor
                .with(Overflow.reject())
                .with(WhenBusy.latest("slot"))
                .execute("b", task)),
        EXECUTOR_FOR((test, task) -> test.executor.executorFor("b").execute(task)),
        GROUPS((test, task) -> test.groups.execute(Groups.exclusive("b"), task)),
        GROUPS_OF_A_VIEW((test, task) -> test.groups.with(Overflow.reject()).execute(Groups.exclusive("b"), task)),
        SERVICE((test, task) -> test.executor.asExecutorService().execute(task)),
        SERVICE_OF_GROUPS((test, task) -> test.groups.asExecutorService().execute(task)),
        SERVICE_WITH_A_FUTURE((test, task) -> test.submitted(task)),
        SERIAL((test, task) -> new SerialExecutor(test.stepped).execute(task));

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final BiConsumer<FutureAsTaskTest, Runnable> submission;

        Way(BiConsumer<FutureAsTaskTest, Runnable> submission) {
            this.submission = submission;
        }
    }

    private void submitted(Runnable task) {
        Future<?> unused = executor.asExecutorService().submit(task);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no executor accepts the future of a task while it is queued or runs")
    void submit(Way way) {
        CompletableFuture<Integer> queued = executor.submit("a", this::count);
        executor.execute("a", source.next());
        assertRefused(queued, task -> way.submission.accept(this, task));
        assertThat(stepped.waiting()).as("hand-overs").isEqualTo(1);
        endsInItsTurn(queued);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no executor accepts the future of an asynchronous task that runs")
    void submitRunning(Way way) {
        CompletableFuture<Integer> running = executor.submitAsync("a", this::hold);
        stepped.runAll();
        assertRefused(running, task -> way.submission.accept(this, task));
        assertThat(stepped.waiting()).as("hand-overs").isZero();
        endsInItsTurn(running);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a future that its caller has completed while its task runs is accepted, and does nothing")
    void completed(Way way) {
        List<Throwable> failures = new ArrayList<>();
        AtomicReference<CompletableFuture<Integer>> running = new AtomicReference<>();
        running.set(executor.submit("a", () -> {
            try {
                running.get().complete(-1);
                ((Runnable) running.get()).run();
                way.submission.accept(this, (Runnable) running.get());
            } catch (Throwable thrown) {
                failures.add(thrown);
            }
            return count();
        }));
        stepped.runAll();
        assertThat(failures).isEmpty();
        assertThat(running.get()).isCompletedWithValue(-1);
        assertThat(runs).hasValue(1);
    }

    private static void assertRefused(CompletableFuture<?> future, Consumer<Runnable> submission) {
        assertThatThrownBy(() -> submission.accept((Runnable) future))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(key a of striped executor 'ledger')")
                .hasMessageContaining(REFUSAL);
    }

    @Test
    @DisplayName("a reservation that has refused a future can still be used")
    void reservation() {
        CompletableFuture<Integer> future = executor.submit("a", this::count);
        executor.execute("a", source.next());
        Reservation place = executor.reserve("a");
        assertRefused(future, place::execute);
        assertThat(place.isOpen()).isTrue();
        place.execute(source.next());
        endsInItsTurn(future);
    }

    @Test
    @DisplayName("a ticket that has refused a future can still be used")
    void ticket() {
        CompletableFuture<Integer> future = executor.submit("a", this::count);
        assertRefused(future, firstTicket::execute);
        assertThat(firstTicket.isOpen()).isTrue();
        firstTicket.execute(source.next());
        endsInItsTurn(future);
    }

    @Test
    @DisplayName("a cancelled future is executed as a task that does nothing, also by the executor that made it")
    void cancelled() {
        Future<Integer> cancelled = executor.asExecutorService().submit(this::count);
        cancelled.cancel(false);
        executor.asExecutorService().execute((Runnable) cancelled);
        stepped.runAll();
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
        assertThat(runs).hasValue(0);
    }

    @Test
    @DisplayName("a completion service runs each of its futures once, and none that its caller has run or cancelled")
    void completionService() throws Exception {
        var service = new ExecutorCompletionService<Integer>(executor.asExecutorService());
        List<Future<Integer>> futures =
                List.of(service.submit(this::count), service.submit(this::count), service.submit(() -> -1));
        ((Runnable) futures.get(1)).run();
        assertThat(runs).hasValue(1);
        futures.get(2).cancel(false);
        stepped.runAll();
        assertThat(runs).hasValue(2);
        for (int i = 0; i < futures.size(); i++) {
            assertThat(service.take()).isIn(futures).isDone();
        }
        assertThat(futures.get(0).get() + futures.get(1).get()).isEqualTo(3);
        assertThat(futures.get(2)).isCancelled();
    }

    @Test
    @DisplayName("a future of a completion service runs where it was submitted, even if it is executed once more")
    void completionServiceAndExecutor() throws Exception {
        var service = new ExecutorCompletionService<Integer>(executor.asExecutorService());
        OrderRecorder.Step first = source.next();
        Future<Integer> future = service.submit(Striped.call("a", () -> {
            first.run();
            return count();
        }));
        executor.execute("a", source.next());
        executor.control().pause("b");
        executor.execute("b", (Runnable) future);
        executor.asExecutorService().execute((Runnable) future);
        groups.asExecutorService().execute((Runnable) future);
        executor.execute("a", source.next());
        stepped.runNext();
        assertThat(service.take()).isSameAs(future).isDone();
        executor.control().resume("b");
        stepped.runAll();
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName("a cancelled future of a completion service does not keep its task, and is executed as one that does "
            + "nothing")
    void cancelledOfACompletionService() {
        var service = new ExecutorCompletionService<Integer>(executor.asExecutorService());
        WeakReference<Object> payload = new WeakReference<>(new Object());
        Future<Integer> cancelled = submitHolding(service, payload.get());
        cancelled.cancel(false);
        Reachability.assertCleared(List.of(payload));
        executor.asExecutorService().execute((Runnable) cancelled);
        stepped.runAll();
        assertThat(executor.inspect().stats().completed()).isEqualTo(2);
        assertThat(executor.inspect().stats().cancelled()).isZero();
        assertThat(cancelled).isCancelled();
    }

    private static Future<Integer> submitHolding(ExecutorCompletionService<Integer> service, @Nullable Object payload) {
        return service.submit(() -> payload == null ? 0 : payload.hashCode());
    }
}
