package io.orderedexecutor.sample.transfers;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.transfers.Transfers.Total;
import io.orderedexecutor.sample.transfers.Transfers.Transfer;
import io.orderedexecutor.test.SteppedExecutor;
import io.orderedexecutor.test.spring.SteppedExecutorConfiguration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** Each test decides when the calls of annotated methods are made, and waits for none. */
@SpringBootTest
@Import(SteppedExecutorConfiguration.class)
class SteppedTransfersTest {

    @Autowired
    SteppedExecutor stepped;

    @Autowired
    Transfers transfers;

    @AfterEach
    void runWhatIsLeft() {
        stepped.runAll();
    }

    @Test
    void transferIsMadeInAStepOfItsOwn() {
        CompletableFuture<Transfer> transfer = transfers.transfer("alice", "bob", 1);
        CompletableFuture<Total> total = transfers.total();
        assertThat(transfer).isNotDone();

        stepped.runNext();
        assertThat(transfer).isCompleted();
        assertThat(total).isNotDone();

        stepped.runAll();
        assertThat(total).isCompletedWithValue(new Total(4, 4000));
    }

    @Test
    void releasedCallsAreMadeBeforeTheyReturn() {
        stepped.release();
        long before = transfers.statement("alice").join().balance();
        transfers.transfer("alice", "bob", 1);
        assertThat(transfers.statement("alice").join().balance()).isEqualTo(before - 1);
        stepped.hold();
    }
}
