package io.orderedexecutor;

import io.orderedexecutor.fixtures.OnVirtualThread;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What holds on platform threads holds on virtual ones: the same tests once more, with virtual threads for all that
 * submit, wait, control and run tasks.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
@ExtendWith(OnVirtualThread.class)
class StripedVirtualThreadTest {

    @Nested
    class Submit extends StripedSubmitTest {}

    @Nested
    class Bounds extends StripedBoundsTest {}

    @Nested
    class Blocking extends StripedBlockingTest {}

    @Nested
    class Discard extends StripedDiscardTest {}

    @Nested
    class Async extends StripedAsyncTest {}

    @Nested
    class Failures extends StripedFailurePolicyTest {}

    @Nested
    class Parking extends StripedParkingTest {}

    @Nested
    class Retries extends StripedRetryTest {}

    @Nested
    class Fairness extends StripedFairnessTest {}

    @Nested
    class SelfWait extends SelfWaitTest {}

    @Nested
    class Pause extends StripedPauseTest {}

    @Nested
    class Control extends StripedControlTest {}

    @Nested
    class Listener extends StripedListenerTest {}

    @Nested
    class LifecycleEnds extends StripedLifecycleTest {}

    @Nested
    class ShutdownNow extends StripedShutdownNowTest {}

    @Nested
    class Serial extends SerialExecutorTest {}
}
