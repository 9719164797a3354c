package io.orderedexecutor.sample.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.NumberedSequencer;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TicketSchedulerTest {
    private static final int FIRST = 1;
    private static final int LAST = 500;

    /** Written without a lock: the order of the outputs protects it. */
    private final List<String> written = new ArrayList<>();

    private record Message(int number) {}

    private static String process(Message message) {
        return "reply " + message.number;
    }

    private void write(String reply) {
        written.add(reply);
    }

    private void assertAllWrittenInOrder() {
        assertThat(written)
                .isEqualTo(IntStream.rangeClosed(FIRST, LAST)
                        .mapToObj(number -> "reply " + number)
                        .toList());
    }

    @Test
    void numbersOfOnesOwn() throws Exception {
        NumberedSequencer sequencer =
                NumberedSequencer.builder(FIRST).window(64).build();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<?>> messages = new ArrayList<>();
        for (int number = FIRST; number <= LAST; number++) {
            Message message = new Message(number);
            messages.add(pool.submit(() -> handle(sequencer, message)));
        }
        for (Future<?> message : messages) {
            message.get();
        }
        sequencer.flush().get();
        Pools.end(pool);

        assertAllWrittenInOrder();
    }

    // after: on any thread
    private Void handle(NumberedSequencer sequencer, Message message) throws InterruptedException {
        try (Reservation ticket = sequencer.at(message.number())) {
            String reply = process(message); // in parallel
            ticket.execute(() -> write(reply)); // in the order of the numbers
            return null;
        } // given back if process fails
    }

    @Test
    void noNumbersAtAll() {
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(4).build()) {
            // after, if the library may have the threads as well
            try (OrderedOutput<String> output = executor.open(this::write)) {
                for (int number = FIRST; number <= LAST; number++) {
                    Message message = new Message(number);
                    output.submit(() -> process(message));
                }
            }
        }

        assertAllWrittenInOrder();
    }
}
