package io.orderedexecutor.test.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A model that finds nothing would keep all promises. */
@Tag("no-second-try")
class ModelTest {
    private final Model model = new StripedSchedule.StripeModel();
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    private Job newJob(String key) {
        return newJob(key, null);
    }

    private Job newJob(String key, @Nullable WhenBusy whenBusy) {
        Job job = new Job(model, "a task", key, whenBusy, () -> "done", () -> answer);
        model.calls(job);
        return job;
    }

    private Job queued(String key) {
        Job job = newJob(key);
        model.queued(key, job);
        return job;
    }

    /** The job works until {@link #answer} comes. */
    private static void begin(Job job) {
        var unused = job.get();
    }

    private void start(Job job) {
        model.started(job.key(), job, 0);
    }

    private void finish(Job job) {
        model.finished(job.key(), job, 0);
    }

    private @Nullable String mistake() {
        try {
            model.assertNothingLeft();
            return null;
        } catch (AssertionError found) {
            return found.getMessage();
        }
    }

    @Test
    void whatIsDroppedAfterItsStartIsBeingPutBack() {
        Job job = queued("a");
        start(job);
        model.dropped("a", job);
        assertThat(mistake()).contains("dropped, and has started");
    }

    @Test
    void whoDropsATaskThatIsPutBackMayBeHeardOfFirst() {
        Job job = queued("a");
        start(job);
        model.dropped("a", job);
        model.retried("a", job, 1, Duration.ZERO, new IllegalStateException());
        assertThat(mistake()).isNull();
    }

    @Test
    void whatIsRightPasses() throws Exception {
        Job first = queued("a");
        Job second = queued("a");
        Job other = queued("b");
        start(other);
        other.call();
        finish(other);
        start(first);
        first.call();
        finish(first);
        model.cancelled("a", second);
        assertThat(mistake()).isNull();
    }

    @Test
    void aTaskThatBeginsBeforeAnEarlierOne() throws Exception {
        queued("a");
        Job second = queued("a");
        start(second);
        second.call();
        assertThat(mistake()).contains("begins before the end of");
    }

    @Test
    void anAsynchronousTaskThatIsToldToHaveFinishedAndWorks() {
        Job job = queued("a");
        start(job);
        begin(job);
        finish(job);
        assertThat(mistake()).contains("finished while it works");
    }

    @Test
    void aTaskThatBeginsWhileAnAsynchronousOneWorks() throws Exception {
        Job first = queued("a");
        Job second = queued("a");
        start(first);
        begin(first);
        second.call();
        assertThat(mistake()).contains("works");
    }

    @Test
    void aCancelledStageWorksNoMore() throws Exception {
        Job first = queued("a");
        Job second = queued("a");
        start(first);
        first.get().toCompletableFuture().cancel(true);
        model.cancelled("a", first);
        start(second);
        second.call();
        finish(second);
        assertThat(mistake()).isNull();
    }

    @Test
    void aTaskThatEndsTwice() throws Exception {
        Job job = queued("a");
        start(job);
        job.call();
        finish(job);
        finish(job);
        assertThat(mistake()).contains("finished after its end");
    }

    @Test
    void aTaskThatFinishesAndHasNotBegun() {
        Job job = queued("a");
        start(job);
        finish(job);
        assertThat(mistake()).contains("finished, and has not begun");
    }

    @Test
    void aTaskThatBeginsAfterItWasCancelled() throws Exception {
        Job job = queued("a");
        model.cancelled("a", job);
        job.call();
        assertThat(mistake()).contains("begins after its end");
    }

    @Test
    void aTaskThatIsLost() {
        queued("a");
        assertThat(mistake()).contains("not ended");
    }

    @Test
    void tooManyTasks() {
        model.capacity = 1;
        model.cancelled("a", queued("a"));
        queued("a");
        queued("b");
        assertThat(mistake()).contains("2 are queued, and 1 may be");
    }

    @Test
    void tooManyTasksOfAKey() {
        model.keyCapacity = 1;
        queued("a");
        queued("b");
        queued("a");
        assertThat(mistake()).contains("2 are queued in a, and 1 may be");
    }

    @Test
    void aTaskThatBeginsBeforeAReservedPlaceIsUsedOrGivenBack() throws Exception {
        try (StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build()) {
            Reservation place = executor.reserve("a");
            model.reserved("a", place);
            Job job = queued("a");
            start(job);
            place.close();
            job.call();
            finish(job);
            assertThat(mistake()).isNull();
            Reservation open = executor.reserve("a");
            model.reserved("a", open);
            queued("a").call();
            assertThat(mistake()).contains("begins before the end of a reserved place");
            open.close();
        }
    }

    @Test
    void aTaskThatIsAcceptedThoughItsStripeIsBusy() {
        queued("a");
        model.queued("a", newJob("a", WhenBusy.refuse()));
        assertThat(mistake()).contains("was accepted beside");
    }

    @Test
    void aTaskThatIsReplacedByNothing() {
        Job job = newJob("a", WhenBusy.latest("view"));
        model.queued("a", job);
        model.replaced("a", job);
        assertThat(mistake()).contains("replaced by nothing");
    }

    @Test
    void aTaskThatIsReplacedByALaterOneOfItsSlot() throws Exception {
        Job job = newJob("a", WhenBusy.latest("view"));
        model.queued("a", job);
        Job later = newJob("a", WhenBusy.latest("view"));
        model.replaced("a", job);
        model.queued("a", later);
        start(later);
        later.call();
        finish(later);
        assertThat(mistake()).isNull();
    }

    @Test
    void aTaskThatAShutdownReturnsAndDoesNotEnd() {
        Job job = queued("a");
        model.assertNotStarted(job);
        assertThat(mistake()).contains("a shutdown returned a task that has not ended");
    }

    private Job queuedItem(String batcher) {
        Job job = newJob("a");
        job.isItemOf(batcher);
        model.queued("a", job);
        return job;
    }

    private void runTogether(int maxBatch, Job... jobs) {
        for (Job job : jobs) {
            start(job);
        }
        model.runTogether(new Batches.Together("batcher", "a", maxBatch), List.of(jobs));
        for (Job job : jobs) {
            begin(job);
        }
    }

    @Test
    void itemsThatRunTogetherPass() {
        Job first = queuedItem("batcher");
        Job second = queuedItem("batcher");
        runTogether(2, first, second);
        answer.complete("answer");
        finish(first);
        finish(second);
        assertThat(mistake()).isNull();
    }

    @Test
    void tooManyItems() {
        runTogether(1, queuedItem("batcher"), queuedItem("batcher"));
        assertThat(mistake()).contains("2 items run together, and 1 may");
    }

    @Test
    void anItemOfAnotherBatcher() {
        runTogether(2, queuedItem("batcher"), queuedItem("another"));
        assertThat(mistake()).contains("runs together with items of");
    }

    @Test
    void itemsInTheWrongOrder() {
        Job first = queuedItem("batcher");
        runTogether(2, queuedItem("batcher"), first);
        assertThat(mistake()).contains("in a batch");
    }

    @Test
    void twoBatchesAtOnce() {
        runTogether(1, queuedItem("batcher"));
        runTogether(1, queuedItem("batcher"));
        assertThat(mistake()).contains("begins while");
    }
}
