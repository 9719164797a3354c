package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedRunnable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
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
    void aWrapperAroundTheExecutorOfAStripeKeepsItsOrder() throws Exception {
        List<ListenableFuture<?>> bookings = new ArrayList<>();
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            Ledger.sendAll((account, number) -> {
                // was: MoreExecutors.listeningDecorator(service).submit(new Booking(ledger, account, number))
                ListenableFuture<?> booking =
                        Futures.submit(() -> ledger.book(account, number), executor.executorFor(account));
                bookings.add(booking);
            });
        }

        assertThat(bookings).allMatch(Future::isDone);
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
