package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The bounds, and what happens at them. */
class DeskTest {
    private static final Event HALF = new Event("ida", Event.Type.DEPOSIT, 500);

    private final Queue<Booking> pending = new ArrayDeque<>();
    private final Queue<CompletableFuture<Entry>> futures = new ArrayDeque<>();

    private Desk desk(Bookings bookings) {
        return new Desk(bookings, new SampleProperties(1024, 1000, Duration.ofMillis(1), 3, 10));
    }

    private CompletableFuture<Entry> later(String clientId, Booking booking) {
        CompletableFuture<Entry> future = new CompletableFuture<>();
        pending.add(booking);
        futures.add(future);
        return future;
    }

    private static CompletableFuture<Entry> atOnce(String clientId, Booking booking) {
        return CompletableFuture.completedFuture(booking.account().book(booking.number(), booking.event()));
    }

    private static Account.State state(Desk desk, String client) {
        return desk.read(client, Duration.ZERO).orElseThrow().join();
    }

    @Test
    void noMoreCoinsArePendingThanThereIsRoomFor() {
        Desk desk = desk(this::later);
        desk.accept(HALF);
        desk.accept(HALF);

        assertThatThrownBy(() -> desk.accept(HALF))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("too many coins are waiting to be counted");
        assertThat(state(desk, "ida").pending()).isEqualTo(2);

        futures.remove().complete(null);
        assertThat(desk.accept(HALF)).isEqualTo(3);
    }

    @Test
    void whatFailsIsPendingNoLongerAndItsRoomIsFree() {
        Desk desk = desk(this::later);
        for (int i = 0; i < 5; i++) {
            desk.accept(HALF);
            futures.remove().completeExceptionally(new IllegalStateException("thrown by the test"));
        }

        assertThat(state(desk, "ida").pending()).isZero();
    }

    @Test
    void whatIsRefusedLeavesNoGapInTheNumbersAndItsRoomIsFree() {
        Desk desk = desk((client, booking) -> {
            if (booking.event().type() == Event.Type.WITHDRAWAL) {
                throw new RejectedExecutionException("refused by the test");
            }
            return atOnce(client, booking);
        });
        Event refused = new Event("ida", Event.Type.WITHDRAWAL, 1000);

        assertThat(desk.accept(HALF)).isEqualTo(1);
        assertThatThrownBy(() -> desk.accept(refused)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> desk.accept(refused)).isInstanceOf(RejectedExecutionException.class);
        assertThat(desk.accept(HALF)).isEqualTo(2);
        assertThat(state(desk, "ida").pending()).isZero();
    }

    @Test
    void theLastEventsAreKept() {
        Desk desk = desk(DeskTest::atOnce);
        for (int i = 0; i < 5; i++) {
            desk.accept(HALF);
        }

        assertThat(state(desk, "ida").processed()).isEqualTo(5);
        assertThat(state(desk, "ida").events()).extracting(Entry::number).containsExactly(3L, 4L, 5L);
    }

    @Test
    void ofIdleClientsTheLastUsedAreRememberedAndOfBusyOnesAll() {
        Desk busy = desk(this::later);
        Desk idle = desk(DeskTest::atOnce);
        for (int i = 0; i < 20; i++) {
            Event event = new Event("client" + i, Event.Type.DEPOSIT, 1);
            busy.accept(event);
            idle.accept(event);
            idle.accept(new Event("regular", Event.Type.DEPOSIT, 1));
        }

        assertThat(busy.clients()).isEqualTo(20);
        assertThat(idle.clients()).isEqualTo(10);
        assertThat(idle.read("client10", Duration.ZERO)).isEmpty();
        assertThat(state(idle, "client11").processed()).isEqualTo(1);
        assertThat(state(idle, "regular").processed()).isEqualTo(20);

        futures.forEach(future -> future.complete(null));
        assertThat(busy.clients()).isEqualTo(10);
    }

    @Test
    void aBulkThatFindsNoRoomTellsWhereToGoOn() {
        String line = "{\"client\":\"ida\",\"type\":\"deposit\",\"coins\":400}\n";

        assertThatThrownBy(() -> new Bulk(desk(this::later)).accept(lines(line + "bad\n" + line + line + line)))
                .isInstanceOfSatisfying(BadInputException.class, e -> {
                    assertThat(e.getStatusCode().value()).isEqualTo(503);
                    assertThat(e.getHeaders().getFirst("Retry-After")).isEqualTo("1");
                    assertThat(e.getBody().getProperties())
                            .containsEntry("accepted", 2L)
                            .containsEntry("sendAgainFromLine", 4L);
                    assertThat(e.getBody().getDetail()).startsWith("There is no room: too many coins");
                });
        assertThat(pending).hasSize(2);
    }

    /** Were the bulk or its clients kept, {@code clients} would grow with them. */
    @Test
    void ofALargeBulkNothingIsKeptThatGrows() {
        int count = 100_000;
        Desk desk = desk(DeskTest::atOnce);

        long accepted = new Bulk(desk).accept(new LineReader(new LinesOfManyClients(count), 1024));

        assertThat(accepted).isEqualTo(count);
        assertThat(desk.clients()).isEqualTo(10);
    }

    /** Makes each line when it is read. */
    private static final class LinesOfManyClients extends InputStream {
        private final int count;
        private int made;
        private InputStream line = InputStream.nullInputStream();

        LinesOfManyClients(int count) {
            this.count = count;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (line.available() == 0 && made < count) {
                String event = "{\"client\":\"client" + made++ + "\",\"type\":\"deposit\",\"coins\":1}\n";
                line = new ByteArrayInputStream(event.getBytes(StandardCharsets.UTF_8));
            }
            return line.read(bytes, offset, length);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }
    }

    private static LineReader lines(String text) {
        return new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 1024);
    }
}
