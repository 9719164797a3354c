package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R5: an Error that strikes inside a sequencer breaks it, whichever thread runs the output. */
class BrokenSequencerTest {
    private final SteppedExecutor executor = new SteppedExecutor();
    private final StackOverflowError error = new StackOverflowError("in the test");
    private boolean strikes;
    private int runs;
    private final BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
    private final Thread.@Nullable UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();

    private final Platform platform = new Platform() {
        @Override
        public long nanoTime() {
            if (strikes) {
                strikes = false;
                throw error;
            }
            return super.nanoTime();
        }
    };

    @BeforeEach
    void hear() {
        Thread.setDefaultUncaughtExceptionHandler((any, failure) -> told.add(failure));
    }

    @AfterEach
    void hearNoMore() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("the turn passes from an output to a ticket, on the thread of a caller or one of the executor")
    void theTurnPasses(boolean onCaller) throws InterruptedException {
        TicketSequencer sequencer = TicketSequencer.builder()
                .window(4)
                .executor(executor)
                .platform(platform)
                .lease(Duration.ofDays(1))
                .turn(1, Duration.ofDays(1))
                .build();
        Reservation first = sequencer.tryNext();
        Reservation second = sequencer.tryNext();
        Reservation third = sequencer.tryNext();
        Reservation fourth = sequencer.tryNext();
        Runnable output = () -> {
            runs++;
            strikes = true;
        };
        if (onCaller) {
            assertThatThrownBy(() -> first.execute(output)).isSameAs(error);
        } else {
            second.execute(() -> runs++);
            third.execute(output);
            first.execute(() -> runs++);
            assertThat(runs).isLessThan(3);
            assertThatThrownBy(executor::runAll).isSameAs(error);
        }
        assertThat(runs).isEqualTo(onCaller ? 1 : 3);
        assertThat(strikes).isFalse();
        assertThatThrownBy(sequencer::tryNext)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is broken")
                .hasCause(error);
        assertThat(told.poll(Patience.SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is broken")
                .hasCause(error);
        fourth.close();
    }
}
