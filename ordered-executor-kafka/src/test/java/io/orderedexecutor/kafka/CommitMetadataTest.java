package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class CommitMetadataTest {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final Scope HERE = new Scope("cluster-1", "group-1", new TopicPartition("orders", 3));

    @Test
    void whatFitsIsReadAsItWasWritten() {
        RandomMetadata.check(300, (map, random) -> {
            String text = map.encode(Integer.MAX_VALUE, HERE);
            CommitMetadata read = CommitMetadata.decode(map.base(), text, map.highest() + 1, HERE);
            assertThat(read.base()).isEqualTo(map.base());
            assertThat(read.highest()).isEqualTo(map.highest());
            assertThat(read.leaderEpoch()).isEqualTo(map.leaderEpoch());
            assertThat(read.open()).isEqualTo(map.open());
        });
    }

    @Test
    void whatIsCutNeverClaimsWhatWasNotSettled() {
        RandomMetadata.check(300, (map, random) -> {
            int limit = random.nextInt(301);
            String text = map.encode(limit, HERE);
            assertThat(text.length()).isLessThanOrEqualTo(limit);
            CommitMetadata read = CommitMetadata.decode(map.base(), text, map.highest() + 1, HERE);
            for (long open : map.open()) {
                assertThat(read.isSettled(open)).isFalse();
            }
            assertThat(read.isSettled(map.base() - 1)).isFalse();
            assertThat(read.highest()).isLessThanOrEqualTo(map.highest());
        });
    }

    @Test
    void whatWasChangedOnItsWayIsIgnored() {
        RandomMetadata.check(300, (map, random) -> {
            StringBuilder text = new StringBuilder(map.encode(Integer.MAX_VALUE, HERE));
            int at = 4 + random.nextInt(text.length() - 4);
            text.setCharAt(at, DIGITS.charAt((DIGITS.indexOf(text.charAt(at)) + 1 + random.nextInt(63)) % 64));
            assertThat(CommitMetadata.decode(map.base(), text.toString(), Long.MAX_VALUE, HERE))
                    .isSameAs(CommitMetadata.NONE);
        });
    }

    @Test
    void garbageClaimsNothing() {
        RandomMetadata.check(500, (map, random) -> {
            String digits = random.ints(random.nextInt(100), 0, 64)
                    .mapToObj(each -> DIGITS.substring(each, each + 1))
                    .collect(Collectors.joining());
            String anything = random.ints(random.nextInt(100), 0, Character.MAX_VALUE)
                    .mapToObj(each -> String.valueOf((char) each))
                    .collect(Collectors.joining());
            for (String text : List.of(digits, anything, "oe1:" + digits, "oe1:" + anything)) {
                for (long base : new long[] {map.base(), random.nextLong()}) {
                    assertThat(CommitMetadata.decode(base, text, Long.MAX_VALUE, HERE))
                            .isSameAs(CommitMetadata.NONE);
                }
            }
        });
    }

    /** As if garbage had the right checksum by chance. */
    @Test
    void whatIsImpossibleClaimsNothing() {
        RandomMetadata.check(1000, (map, random) -> {
            String digits = random.ints(random.nextInt(40), 0, 64)
                    .mapToObj(each -> DIGITS.substring(each, each + 1))
                    .collect(Collectors.joining());
            String numbers = map.encode(Integer.MAX_VALUE, HERE).substring(10) + digits;
            long end = map.highest() + 1;
            CommitMetadata read =
                    CommitMetadata.decode(map.base(), "oe1:" + HERE.checksum(numbers) + numbers, end, HERE);
            if (read != CommitMetadata.NONE) {
                assertThat(read.highest()).isBetween(map.base(), end - 1);
                assertThat(read.open()).isSorted().doesNotHaveDuplicates();
                for (long open : read.open()) {
                    assertThat(open).isBetween(map.base(), read.highest());
                }
            }
        });
    }

    @Test
    void whatWasWrittenForSomethingElseClaimsNothing() {
        RandomMetadata.check(200, (map, random) -> {
            String text = map.encode(Integer.MAX_VALUE, HERE);
            long end = map.highest() + 1;
            // a mirror keeps the metadata and translates the offset
            assertThat(CommitMetadata.decode(map.base() + 7, text, end + 7, HERE))
                    .isSameAs(CommitMetadata.NONE);
            Scope mirror = new Scope("cluster-2", "group-1", HERE.partition());
            assertThat(CommitMetadata.decode(map.base(), text, end, mirror)).isSameAs(CommitMetadata.NONE);
            Scope other = new Scope("cluster-1", "group-1", new TopicPartition("orders", 4));
            assertThat(CommitMetadata.decode(map.base(), text, end, other)).isSameAs(CommitMetadata.NONE);
            // another group was given these offsets
            Scope group = new Scope("cluster-1", "group-2", HERE.partition());
            assertThat(CommitMetadata.decode(map.base(), text, end, group)).isSameAs(CommitMetadata.NONE);
            // the log was cut off, or the topic made anew
            assertThat(CommitMetadata.decode(map.base(), text, end - 1, HERE)).isSameAs(CommitMetadata.NONE);
        });
    }

    @Test
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
                        7,
                        LongStream.of(open).map(o -> o + 5_000_000_000L).toArray())
                .encode(4096, HERE);
        assertThat(text.length()).isBetween(1000, 2500);
    }

    @Test
    void nothingIsWrittenWhereNothingIsClaimed() {
        assertThat(CommitMetadata.NONE.encode(4096, HERE)).isEmpty();
        assertThat(new CommitMetadata(5, 4, 0, new long[0]).encode(4096, HERE)).isEmpty();
        assertThat(new CommitMetadata(5, 9, 0, new long[0]).encode(10, HERE)).isEmpty();
    }
}
