package io.orderedexecutor.engine.admit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What comes and goes while a look at all orders is on its way: it is done where the look asks for the first order. */
class LooksBesideChangesTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final KeyedEngine engine = Engines.groups(steps, FailurePolicy.park(), Platform.JDK);
    private final Survey survey = engine.service().survey();

    private final AtomicBoolean isChanged = new AtomicBoolean();

    /** Keys of a bin, in the order in which a look comes to them. */
    private static List<Integer> keys(int bin, int count) {
        return IntStream.iterate(0, key -> key + 1)
                .filter(key -> Orders.binOf(Orders.spread(key)) == bin)
                .limit(count)
                .boxed()
                .sorted(Comparator.comparingLong(key -> Integer.toUnsignedLong(Integer.reverse(Orders.spread(key)))))
                .toList();
    }

    private TaskFuture<Integer> submit(Groups groups) {
        TaskFuture<Integer> task = new TaskFuture.Call<>(() -> 1);
        engine.submit(groups, task, null);
        return task;
    }

    private boolean changeOnce(Runnable change) {
        if (isChanged.compareAndSet(false, true)) {
            change.run();
        }
        return true;
    }

    @Test
    @DisplayName("a task of all groups that is granted during a look goes on, whatever else is held up")
    void aBarrierThatIsGrantedMeanwhile() {
        List<Integer> keys = keys(63, 400);
        int parked = keys.get(0);
        int reserved = keys.get(399);
        engine.submit(
                Groups.shared(parked),
                () -> {
                    throw new ThrownOnPurpose();
                },
                null);
        steps.runAll();
        keys.subList(1, 399).forEach(engine::pause);
        Reservation reservation = engine.reserve(Groups.exclusive(reserved), null);
        TaskFuture<Integer> barrier = submit(Groups.allShared());
        assertThat(survey.areHeldUp(place -> !place.isParked())).isFalse();
        assertThat(survey.areHeldUp(place -> changeOnce(reservation::close) && !place.isParked()))
                .isFalse();
        assertThat(isChanged).isTrue();
        keys.subList(1, 399).forEach(engine::resume);
        steps.runAll();
        assertThat(barrier).isCompletedWithValue(1);
        assertThat(survey.areHeldUp(place -> !place.isParked()))
                .as("the parked one alone is left")
                .isTrue();
    }

    @Test
    @DisplayName("a task of several groups that goes during a look takes no other from the count")
    void aRollupThatGoesMeanwhile() {
        int one = keys(0, 1).get(0);
        int two = keys(10, 1).get(0);
        int three = keys(20, 1).get(0);
        List<TaskFuture<Integer>> others =
                Stream.generate(() -> submit(Groups.exclusive(one))).limit(3).toList();
        TaskFuture<Integer> before = submit(Groups.exclusive(three));
        TaskFuture<Integer> rollup = submit(Groups.exclusive(two, three));
        assertThat(survey.count(order -> true).queued()).isEqualTo(5);
        Survey.Counts counted = survey.count(order -> changeOnce(() -> {
            rollup.cancel(false);
            before.cancel(false);
        }));
        assertThat(counted.queued()).isEqualTo(3);
        steps.runAll();
        assertThat(others).allSatisfy(other -> assertThat(other).isCompletedWithValue(1));
        assertThat(survey.count(order -> true).queued()).isZero();
    }
}
