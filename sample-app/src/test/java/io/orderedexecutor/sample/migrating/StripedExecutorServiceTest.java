package io.orderedexecutor.sample.migrating;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedRunnable;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

class StripedExecutorServiceTest {
    private final Ledger ledger = new Ledger();

    private record Booking(Ledger ledger, String account, int number) implements StripedRunnable {
        @Override
        public Object getStripe() {
            return account;
        }

        @Override
        public void run() {
            ledger.book(account, number);
        }
    }

    @Test
    void itsTasksRunUnchanged() throws Exception {
        // was: new StripedExecutorService(4)
        ExecutorService service =
                StripedExecutor.builder().threads(4).identityStripes().build().asExecutorService();
        Ledger.sendAll((account, number) -> service.execute(new Booking(ledger, account, number)));
        Pools.end(service);

        ledger.assertEachEventOnceInOrder();
    }

    @Test
    void tasksNeedNoInterface() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            Ledger.sendAll((account, number) -> executor.execute(account, () -> ledger.book(account, number)));
        }

        ledger.assertEachEventOnceInOrder();
    }
}
