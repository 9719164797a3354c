package io.orderedexecutor.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which records belong together. */
class RecordKeyTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 3);

    private static Object keyOf(@Nullable Object key) {
        return place(key, null).key();
    }

    private static RecordKey.Place place(@Nullable Object key, @Nullable String expression) {
        RecordKey ofRecord =
                new RecordKey(expression == null ? null : RecordKeyExpression.of(expression, "The listener"), "orders");
        return ofRecord.of(new ConsumerRecord<>("orders", 3, 17, key, "value"), PARTITION);
    }

    /** One after another in a partition, as with a plain listener, unless an expression says otherwise. */
    @Test
    void recordsWithoutAKey() {
        try (LogLines log = new LogLines(RecordKey.class.getName())) {
            assertThat(keyOf(null)).isEqualTo(PARTITION);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("#key ?: #record.offset()");
        }
        assertThat(place(null, "#key ?: #record.offset()").key()).isEqualTo(17L);
        assertThat(place("a", "#key ?: #record.offset()").key()).isEqualTo("a");
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static void assertSame(Object first, Object second) {
        assertThat(keyOf(first)).isEqualTo(keyOf(second)).hasSameHashCodeAs(keyOf(second));
    }

    @Test
    void arraysAreComparedByTheirContent() {
        assertSame(bytes(1, 2), bytes(1, 2));
        assertThat(keyOf(bytes(1, 2))).isNotEqualTo(keyOf(bytes(2, 1)));
        assertSame(new String[] {"a", null}, new String[] {"a", null});
        assertSame(new byte[][] {bytes(1), bytes(2)}, new byte[][] {bytes(1), bytes(2)});
        assertThat(keyOf(new int[] {1})).isNotEqualTo(keyOf(new long[] {1}));
    }

    /** A list with a key in it is how listeners on one executor are kept apart. */
    @Test
    void arraysInListsAreToo() {
        assertThat(place(bytes(1, 2), "{'orders', #key}"))
                .isEqualTo(place(bytes(1, 2), "{'orders', #key}"))
                .isNotEqualTo(place(bytes(1, 3), "{'orders', #key}"));
        assertSame(List.of("a", List.of(bytes(1))), List.of("a", List.of(bytes(1))));
        assertSame(new Object[] {"a", List.of(bytes(1))}, new Object[] {"a", List.of(bytes(1))});
        assertSame(Arrays.asList(bytes(1), null), Arrays.asList(bytes(1), null));
    }

    @Test
    void arraysInSetsAndMapsAreToo() {
        assertSame(Set.of(bytes(1), bytes(2)), Set.of(bytes(2), bytes(1)));
        assertThat(keyOf(Set.of(bytes(1)))).isNotEqualTo(keyOf(Set.of(bytes(2))));
        assertSame(Map.of("a", bytes(1)), Map.of("a", bytes(1)));
        assertThat(keyOf(Map.of("a", bytes(1)))).isNotEqualTo(keyOf(Map.of("a", bytes(2))));
        assertSame(Map.of(List.of(bytes(1)), 2), Map.of(List.of(bytes(1)), 2));
    }

    /** A call of an {@code @OrderedAsync} method with an equal list has to find the same key. */
    @Test
    void whatHoldsNoArrayStaysAsItIs() {
        List<String> list = List.of("orders", "a");
        assertThat(keyOf(list)).isSameAs(list);
        assertThat(keyOf("a")).isEqualTo("a");
        assertThat(place("a", "{'orders', #key}").key()).isEqualTo(list);
    }

    @Test
    @DisplayName("keys with the least hash code, and keys with one hash code, are told apart by what is in them")
    void hashCodes() {
        byte[] least = bytes(-29, 13, 0, 10, -1, 11, 2);
        assertThat(keyOf(least).hashCode()).isEqualTo(Integer.MIN_VALUE);
        assertThat(keyOf(least)).isEqualTo(keyOf(least.clone()));
        Set<Object> keys = new HashSet<>();
        for (int i = 0; i < 4096; i++) {
            byte[] key = new byte[24];
            for (int bit = 0; bit < 12; bit++) {
                // both pairs have the same share in a hash code
                boolean isSet = (i >> bit & 1) == 1;
                key[2 * bit] = (byte) (isSet ? 'B' : 'A');
                key[2 * bit + 1] = (byte) (isSet ? 'B' : 'a');
            }
            assertThat(keys.add(keyOf(key))).isTrue();
            assertThat(keys.add(keyOf(key.clone()))).isFalse();
        }
        assertThat(keys).hasSize(4096);
        assertThat(keys)
                .extracting(Object::hashCode)
                .containsOnly(
                        keyOf("AaAaAaAaAaAaAaAaAaAaAaAa".getBytes(US_ASCII)).hashCode());
    }

    /** The listener gets the key itself, and may do with it what it likes. */
    @Test
    void whatTheListenerDoesToTheKeyDoesNotMatter() {
        byte[] key = bytes(1, 2);
        Object known = keyOf(key);
        key[0] = 9;
        assertThat(known).isEqualTo(keyOf(bytes(1, 2)));
        List<Object> list = new ArrayList<>(List.of("a", bytes(1)));
        Object keyOfList = keyOf(list);
        list.clear();
        assertThat(keyOfList).isEqualTo(keyOf(List.of("a", bytes(1))));
        ByteBuffer buffer = ByteBuffer.wrap(bytes(1, 2));
        Object keyOfBuffer = keyOf(buffer);
        buffer.get();
        assertThat(keyOfBuffer).isEqualTo(keyOf(ByteBuffer.wrap(bytes(1, 2))));
    }

    @Test
    void whatHasNoEndIsARecordThatCannotRun() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        RecordKey.Place place = place(endless, null);
        assertThat(place.key()).isEqualTo(PARTITION);
        assertThat(place.unusable()).hasMessageContaining("cannot be determined");
    }

    static final class NoEquals {}

    private enum Kind {
        A
    }

    /** Silence would look like order. */
    @Test
    void aKeyThatIsEqualOnlyToItselfIsToldOnce() {
        try (LogLines log = new LogLines(RecordKey.class.getName())) {
            RecordKey ofRecord = new RecordKey(null, "orders");
            for (Object key : new Object[] {"a", 1L, Kind.A, List.of(), bytes(1), PARTITION, String.class}) {
                ofRecord.of(new ConsumerRecord<>("orders", 3, 17, key, "value"), PARTITION);
            }
            assertThat(log.lines()).isEmpty();
            for (int i = 0; i < 3; i++) {
                ofRecord.of(new ConsumerRecord<>("orders", 3, 17, new NoEquals(), "value"), PARTITION);
            }
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("'orders'", NoEquals.class.getName(), "equals");
        }
    }

    @Test
    @DisplayName("a record without a key has its place, even if the log of it throws")
    void aLogThatFails() {
        try (BrokenLog log = new BrokenLog()) {
            assertThat(place(null, null)).isEqualTo(new RecordKey.Place(PARTITION, null));
            assertThat(log.asked()).isPositive();
        }
    }

    @Test
    @DisplayName("whatever a key throws, its record is unusable, and has a place")
    void aKeyThatThrows() {
        for (Throwable failure : List.of(
                new Unprintable(), new Exception("as in Kotlin, where nothing is declared"), new AssertionError())) {
            RecordKey.Place place = place(
                    new Object() {
                        @Override
                        public int hashCode() {
                            FailingHandler.throwUndeclared(failure);
                            return 0;
                        }

                        @Override
                        public boolean equals(Object other) {
                            return this == other;
                        }
                    },
                    null);
            assertThat(place.key()).isEqualTo(PARTITION);
            assertThat(place.unusable()).isNotNull().hasMessageStartingWith("the key cannot be determined: ");
        }
    }

    @Test
    @DisplayName("a record is not given up because the JVM has no memory for its key: the container stops instead")
    void aKeyForWhichThereIsNoMemory() {
        RecordKey key = new RecordKey(
                record -> {
                    throw new OutOfMemoryError("in the test");
                },
                "orders");
        ConsumerRecord<?, ?> record = new ConsumerRecord<>("orders", 0, 0, "alice", "book");
        assertThatThrownBy(() -> key.of(record, PARTITION)).isInstanceOf(OutOfMemoryError.class);
    }
}
