package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.TopicPartition;

class CommitMetadataTest {
    private static final Scope HERE = new Scope("cluster-1", "group-1", new TopicPartition("orders", 3));

    @Provide
    Arbitrary<CommitMetadata> maps() {
        Arbitrary<Long> base = Arbitraries.longs().between(0, 1L << 40);
        Arbitrary<java.util.Set<Long>> open =
                Arbitraries.longs().between(0, 1_000_000).set().ofMaxSize(400);
        return Combinators.combine(base, open, Arbitraries.longs().between(0, 2000))
                .as((from, below, beyond) -> {
                    TreeSet<Long> sorted = new TreeSet<>(below);
                    long last = sorted.isEmpty() ? 0 : sorted.last() + 1;
                    long[] offsets =
                            sorted.stream().mapToLong(each -> from + each).toArray();
                    return new CommitMetadata(from, from + last + beyond, offsets);
                });
    }

    @Property(tries = 300)
    void whatFitsIsReadAsItWasWritten(@ForAll("maps") CommitMetadata map) {
        String text = map.encode(Integer.MAX_VALUE, HERE);
        CommitMetadata read = CommitMetadata.decode(map.base(), text, map.highest() + 1, HERE);
        assertThat(read.base()).isEqualTo(map.base());
        assertThat(read.highest()).isEqualTo(map.highest());
        assertThat(read.open()).isEqualTo(map.open());
    }

    @Property(tries = 300)
    void whatIsCutNeverClaimsWhatWasNotSettled(
            @ForAll("maps") CommitMetadata map, @ForAll @IntRange(min = 0, max = 300) int limit) {
        String text = map.encode(limit, HERE);
        assertThat(text.length()).isLessThanOrEqualTo(limit);
        CommitMetadata read = CommitMetadata.decode(map.base(), text, map.highest() + 1, HERE);
        for (long open : map.open()) {
            assertThat(read.isSettled(open)).isFalse();
        }
        assertThat(read.isSettled(map.base() - 1)).isFalse();
        assertThat(read.highest()).isLessThanOrEqualTo(map.highest());
    }

    @Property(tries = 300)
    void whatWasChangedOnItsWayIsIgnored(
            @ForAll("maps") CommitMetadata map, @ForAll int position, @ForAll @IntRange(min = 1, max = 60) int change) {
        StringBuilder text = new StringBuilder(map.encode(Integer.MAX_VALUE, HERE));
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        int at = 4 + Math.floorMod(position, text.length() - 4);
        text.setCharAt(at, alphabet.charAt((alphabet.indexOf(text.charAt(at)) + change) % 64));
        CommitMetadata read = CommitMetadata.decode(map.base(), text.toString(), Long.MAX_VALUE, HERE);
        assertThat(read).isSameAs(CommitMetadata.NONE);
    }

    @Property(tries = 500)
    void garbageClaimsNothing(@ForAll String text, @ForAll long base) {
        assertThat(CommitMetadata.decode(base, text, Long.MAX_VALUE, HERE)).isSameAs(CommitMetadata.NONE);
        assertThat(CommitMetadata.decode(base, "oe1:" + text, Long.MAX_VALUE, HERE))
                .isSameAs(CommitMetadata.NONE);
    }

    @Property(tries = 200)
    void whatWasWrittenForSomethingElseClaimsNothing(@ForAll("maps") CommitMetadata map) {
        String text = map.encode(Integer.MAX_VALUE, HERE);
        long end = map.highest() + 1;
        // a mirror keeps the metadata and translates the offset
        assertThat(CommitMetadata.decode(map.base() + 7, text, end + 7, HERE)).isSameAs(CommitMetadata.NONE);
        Scope mirror = new Scope("cluster-2", "group-1", HERE.partition());
        assertThat(CommitMetadata.decode(map.base(), text, end, mirror)).isSameAs(CommitMetadata.NONE);
        Scope other = new Scope("cluster-1", "group-1", new TopicPartition("orders", 4));
        assertThat(CommitMetadata.decode(map.base(), text, end, other)).isSameAs(CommitMetadata.NONE);
        // another group was given these offsets
        Scope group = new Scope("cluster-1", "group-2", HERE.partition());
        assertThat(CommitMetadata.decode(map.base(), text, end, group)).isSameAs(CommitMetadata.NONE);
        // the log was cut off, or the topic made anew
        assertThat(CommitMetadata.decode(map.base(), text, end - 1, HERE)).isSameAs(CommitMetadata.NONE);
    }

    @Example
    void aThousandOpenOffsetsFit() {
        long[] open = new Random(1)
                .longs(0, 1_000_000)
                .distinct()
                .limit(1000)
                .sorted()
                .toArray();
        open[0] = 0;
        String text = new CommitMetadata(
                        5_000_000_000L,
                        5_000_999_999L,
                        LongStream.of(open).map(o -> o + 5_000_000_000L).toArray())
                .encode(4096, HERE);
        assertThat(text.length()).isBetween(1000, 2500);
    }

    @Example
    void nothingIsWrittenWhereNothingIsClaimed() {
        assertThat(CommitMetadata.NONE.encode(4096, HERE)).isEmpty();
        assertThat(new CommitMetadata(5, 4, new long[0]).encode(4096, HERE)).isEmpty();
        assertThat(new CommitMetadata(5, 9, new long[0]).encode(10, HERE)).isEmpty();
    }
}
