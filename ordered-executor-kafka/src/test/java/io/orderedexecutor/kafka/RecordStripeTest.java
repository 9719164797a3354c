package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which records belong together. */
class RecordStripeTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 3);

    private static Object stripeOf(@Nullable Object key) {
        return place(key, null).stripe();
    }

    private static RecordStripe.Place place(@Nullable Object key, @Nullable String expression) {
        RecordStripe stripe = new RecordStripe(
                NullKey.PARTITION,
                expression == null ? null : StripeExpression.of(expression, "The listener"),
                "orders");
        return stripe.of(new ConsumerRecord<>("orders", 3, 17, key, "value"), PARTITION);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static void assertSame(Object first, Object second) {
        assertThat(stripeOf(first)).isEqualTo(stripeOf(second)).hasSameHashCodeAs(stripeOf(second));
    }

    @Test
    void arraysAreComparedByTheirContent() {
        assertSame(bytes(1, 2), bytes(1, 2));
        assertThat(stripeOf(bytes(1, 2))).isNotEqualTo(stripeOf(bytes(2, 1)));
        assertSame(new String[] {"a", null}, new String[] {"a", null});
        assertSame(new byte[][] {bytes(1), bytes(2)}, new byte[][] {bytes(1), bytes(2)});
        assertThat(stripeOf(new int[] {1})).isNotEqualTo(stripeOf(new long[] {1}));
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
        assertThat(stripeOf(Set.of(bytes(1)))).isNotEqualTo(stripeOf(Set.of(bytes(2))));
        assertSame(Map.of("a", bytes(1)), Map.of("a", bytes(1)));
        assertThat(stripeOf(Map.of("a", bytes(1)))).isNotEqualTo(stripeOf(Map.of("a", bytes(2))));
        assertSame(Map.of(List.of(bytes(1)), 2), Map.of(List.of(bytes(1)), 2));
    }

    /** A call of an {@code @OrderedAsync} method with an equal list has to find the same stripe. */
    @Test
    void whatHoldsNoArrayStaysAsItIs() {
        List<String> list = List.of("orders", "a");
        assertThat(stripeOf(list)).isSameAs(list);
        assertThat(stripeOf("a")).isEqualTo("a");
        assertThat(place("a", "{'orders', #key}").stripe()).isEqualTo(list);
    }

    /** The listener gets the key itself, and may do with it what it likes. */
    @Test
    void whatTheListenerDoesToTheKeyDoesNotMatter() {
        byte[] key = bytes(1, 2);
        Object stripe = stripeOf(key);
        key[0] = 9;
        assertThat(stripe).isEqualTo(stripeOf(bytes(1, 2)));
        List<Object> list = new ArrayList<>(List.of("a", bytes(1)));
        Object stripeOfList = stripeOf(list);
        list.clear();
        assertThat(stripeOfList).isEqualTo(stripeOf(List.of("a", bytes(1))));
        ByteBuffer buffer = ByteBuffer.wrap(bytes(1, 2));
        Object stripeOfBuffer = stripeOf(buffer);
        buffer.get();
        assertThat(stripeOfBuffer).isEqualTo(stripeOf(ByteBuffer.wrap(bytes(1, 2))));
    }

    @Test
    void whatHasNoEndIsARecordThatCannotRun() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        RecordStripe.Place place = place(endless, null);
        assertThat(place.stripe()).isEqualTo(PARTITION);
        assertThat(place.unusable()).hasMessageContaining("cannot be told");
    }

    static final class NoEquals {}

    private enum Kind {
        A
    }

    /** Silence would look like order. */
    @Test
    void aKeyThatIsEqualOnlyToItselfIsToldOnce() {
        try (LogLines log = new LogLines(RecordStripe.class.getName())) {
            RecordStripe stripe = new RecordStripe(NullKey.PARTITION, null, "orders");
            for (Object key : new Object[] {"a", 1L, Kind.A, List.of(), bytes(1), PARTITION, String.class}) {
                stripe.of(new ConsumerRecord<>("orders", 3, 17, key, "value"), PARTITION);
            }
            assertThat(log.lines()).isEmpty();
            for (int i = 0; i < 3; i++) {
                stripe.of(new ConsumerRecord<>("orders", 3, 17, new NoEquals(), "value"), PARTITION);
            }
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("'orders'", NoEquals.class.getName(), "equals");
        }
    }
}
