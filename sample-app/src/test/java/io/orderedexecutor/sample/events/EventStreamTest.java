package io.orderedexecutor.sample.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.accounts.Event;
import io.orderedexecutor.sample.fixtures.Http;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EventStreamTest {

    /** A long input would not fit into the memory. */
    @Test
    void longInputIsReadOnlyAsFarAsItsEventsAreAskedFor() throws Exception {
        int count = 100_000;
        MadeLines lines = new MadeLines(count);
        EventStream events = new EventStream(lines);

        for (int i = 0; i < count; i++) {
            assertThat(events.next()).isTrue();
            assertThat(events.event()).isEqualTo(new Event("client" + i, Event.Type.DEPOSIT, 1));
            assertThat(lines.made).as("lines read").isLessThan(i + 1000);
        }
        assertThat(events.next()).isFalse();
    }

    /** Otherwise a sender that waits for an effect before it sends the next event would wait forever. */
    @Test
    void eventIsReadWithoutLookingForTheNextOne() throws Exception {
        EventStream events = new EventStream(new MadeLines(1) {
            @Override
            void end() {
                throw new AssertionError("looked for more");
            }
        });

        assertThat(events.next()).isTrue();
        assertThat(events.event().client()).isEqualTo("client0");
    }

    /** Makes each line when it is read. */
    private static class MadeLines extends InputStream {
        private final int count;
        private int made;
        private InputStream line = InputStream.nullInputStream();

        MadeLines(int count) {
            this.count = count;
        }

        void end() {}

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (line.available() == 0) {
                if (made == count) {
                    end();
                    return -1;
                }
                line = new ByteArrayInputStream(
                        Http.deposit("client" + made++, 1).getBytes(StandardCharsets.UTF_8));
            }
            return line.read(bytes, offset, length);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }
    }
}
