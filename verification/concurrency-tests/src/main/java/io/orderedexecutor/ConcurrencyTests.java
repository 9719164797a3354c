package io.orderedexecutor;

import io.orderedexecutor.engine.admit.ItemCancelledVersusEnd;
import io.orderedexecutor.engine.admit.ItemCancelledVersusRun;
import io.orderedexecutor.engine.admit.ItemSubmittedVersusRun;
import io.orderedexecutor.engine.admit.PieceFinishedVersusFinished;
import io.orderedexecutor.engine.admit.PieceRunVersusCancelled;
import io.orderedexecutor.engine.admit.PieceSlotVersusCancelled;
import io.orderedexecutor.engine.admit.PieceSubmittedVersusClosed;
import io.orderedexecutor.engine.admit.PieceSubmittedVersusEnd;
import io.orderedexecutor.engine.admit.ReservationUsedVersusGranted;
import io.orderedexecutor.engine.admit.ReservationUsedVersusShutdownNow;
import io.orderedexecutor.engine.admit.StageToldVersusCancelled;
import io.orderedexecutor.engine.admit.TaskInterruptedVersusEnd;
import io.orderedexecutor.engine.admit.TaskReplacedVersusRun;
import io.orderedexecutor.engine.admit.TaskRunVersusCancelled;
import io.orderedexecutor.engine.admit.TaskSubmittedVersusEnd;
import io.orderedexecutor.engine.admit.TaskSubmittedVersusShutdownNow;
import io.orderedexecutor.engine.pool.AddVersusPoll;
import io.orderedexecutor.kafka.ParkVersusAction;
import io.orderedexecutor.kafka.SettleVersusReap;
import io.orderedexecutor.kafka.SettleVersusSettle;
import io.orderedexecutor.kafka.StartVersusDrain;
import java.util.Collection;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs the tests of this module with jcstress, which takes its own arguments: {@code -t PutBack} runs one, {@code -l}
 * lists them, {@code -h} tells of the others. Fails if there is an outcome that no test expects.
 */
final class ConcurrencyTests {

    /** A build whose annotation processor did not run has no tests, and would pass. */
    private static final Class<?>[] EXPECTED = {
        AddVersusPoll.class,
        ItemCancelledVersusEnd.class,
        ItemCancelledVersusRun.class,
        ItemSubmittedVersusRun.class,
        NumberIssuedVersusIssued.class,
        ParkVersusAction.class,
        PieceFinishedVersusFinished.class,
        PieceRunVersusCancelled.class,
        PieceSlotVersusCancelled.class,
        PieceSubmittedVersusClosed.class,
        PieceSubmittedVersusEnd.class,
        RequestCancelledVersusEnd.class,
        RequestVersusEnd.class,
        ReservationUsedVersusGranted.class,
        ReservationUsedVersusShutdownNow.class,
        SettleVersusReap.class,
        SettleVersusSettle.class,
        StageToldVersusCancelled.class,
        StartVersusDrain.class,
        TaskInterruptedVersusEnd.class,
        TaskReplacedVersusRun.class,
        TaskRunVersusCancelled.class,
        TaskSubmittedVersusEnd.class,
        TaskSubmittedVersusShutdownNow.class,
        TicketIssuedVersusEnd.class,
        TicketUsedVersusClosed.class,
        TicketUsedVersusExpired.class,
        TicketUsedVersusUsed.class
    };

    /**
     * A fork or two of some seconds for each test. All flags of the JVM that jcstress knows of would take many times as
     * long.
     */
    private static final String[] BRIEFLY = {
        "-jvmArgs", "-Xmx256m", "-sc", "false", "-iters", "5", "-time", "500", "-r", "target/concurrency-tests"
    };

    private ConcurrencyTests() {}

    public static void main(String[] args) throws Exception {
        Collection<String> missing =
                new TreeSet<>(Stream.of(EXPECTED).map(Class::getName).toList());
        missing.removeAll(TestList.tests());
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no test was made of " + missing
                    + ": the annotation processor of jcstress has not run; build this module with Maven");
        }
        Main.main(args.length > 0 ? args : BRIEFLY);
    }
}
