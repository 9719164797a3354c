package io.orderedexecutor.sample.transfers;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.transfers.Transfers.Total;
import io.orderedexecutor.sample.transfers.Transfers.Transfer;
import io.orderedexecutor.spring.test.TestThread;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** Annotated methods without threads: each test decides when calls are made, and need not wait for any. */
@SpringBootTest
@Import(TestThread.class)
class OnTestThreadTest {

    @Autowired
    TestThread thread;

    @Autowired
    Transfers transfers;

    @AfterEach
    void release() {
        thread.release();
    }

    @Test
    void transferIsMadeWhenTheCallReturns() {
        long before = transfers.statement("alice").join().balance();
        assertThat(transfers.transfer("alice", "bob", 1)).isCompleted();
        assertThat(transfers.statement("alice").join().balance()).isEqualTo(before - 1);
    }

    @Test
    void heldCallsAreMadeInTheirOrder() {
        thread.hold();
        CompletableFuture<Transfer> transfer = transfers.transfer("alice", "bob", 1);
        CompletableFuture<Total> total = transfers.total();
        assertThat(transfer).isNotDone();
        thread.runAll();
        assertThat(transfer).isCompleted();
        assertThat(total).isCompletedWithValue(new Total(4, 4000));
    }
}
