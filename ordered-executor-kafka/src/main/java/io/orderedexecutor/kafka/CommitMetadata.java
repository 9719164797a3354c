package io.orderedexecutor.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The offsets that are settled beyond a committed offset: the highest settled offset, and the unsettled ones below it.
 * They are stored in the metadata of the commit, so that the next owner of the partition does not repeat settled
 * records.
 *
 * <p>Metadata that claims too much would lose records, so this class errs on the other side. Metadata that is too long
 * is truncated; it then claims fewer settled offsets. Metadata that does not provably belong to this group, at this
 * offset of this partition in this cluster, counts as {@link #NONE}: MirrorMaker, for instance, copies metadata along
 * with translated offsets.
 *
 * <p>The text consists of {@code oe1:}, a checksum (of all that follows, the cluster, the group and the partition), the
 * committed offset, the distance of the highest settled offset from it, the leader epoch plus one, and the distance of
 * each open offset from the one before. The numbers are variable-length integers in base64 digits. The size depends on
 * the number of open offsets, and hardly on their distances.
 *
 * @param base the committed offset
 * @param highest the highest settled offset, below {@code base} if nothing is claimed
 * @param leaderEpoch the latest leader epoch that the owner has seen, or -1. After an unclean election, a later leader
 *     may have written other records at these offsets, which nobody has settled
 * @param open the unsettled offsets from {@code base} to {@code highest}, ascending; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // instances are never compared, and stay in this package
record CommitMetadata(long base, long highest, int leaderEpoch, long[] open) {
    /** Claims nothing. */
    static final CommitMetadata NONE = new CommitMetadata(0, -1, -1, new long[0]);

    private static final String PREFIX = "oe1:";
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final int CHECKSUM_DIGITS = 6;

    /** A digit of at least this value is followed by another digit. */
    private static final int MORE = 32;

    /** An offset has at most 63 bits: twelve digits and three bits of a thirteenth. */
    private static final int MAX_SHIFT = 60;

    /** Whether the offset is known to be settled. */
    boolean isSettled(long offset) {
        return offset >= base && offset <= highest && Arrays.binarySearch(open, offset) < 0;
    }

    /**
     * Writes these offsets, or as many of them as fit.
     *
     * @param limit the maximum number of characters
     * @param scope the scope in which the metadata will be valid
     * @return empty if nothing is claimed, or nothing fits
     */
    String encode(int limit, Scope scope) {
        if (highest < base) {
            return "";
        }
        String all = encodeAll(scope);
        if (all.length() <= limit) {
            return all;
        }
        // searches for the longest prefix of the open offsets that fits. The offset behind it is open, so nothing from
        // there on is claimed
        int fits = 0;
        int tooMany = open.length;
        while (tooMany - fits > 1) {
            int middle = (fits + tooMany) >>> 1;
            if (upTo(middle).encodeAll(scope).length() <= limit) {
                fits = middle;
            } else {
                tooMany = middle;
            }
        }
        if (open.length == 0 || open[fits] - 1 < base) {
            return "";
        }
        String cut = upTo(fits).encodeAll(scope);
        return cut.length() <= limit ? cut : "";
    }

    /** Returns the part of this metadata below the open offset at this position. */
    private CommitMetadata upTo(int position) {
        return new CommitMetadata(base, open[position] - 1, leaderEpoch, Arrays.copyOf(open, position));
    }

    /** Returns the part of this metadata below this offset. */
    CommitMetadata below(long offset) {
        long[] openBelow = LongStream.of(open).filter(each -> each < offset).toArray();
        return new CommitMetadata(base, Math.min(highest, offset - 1), leaderEpoch, openBelow);
    }

    private String encodeAll(Scope scope) {
        StringBuilder text = new StringBuilder(2 * open.length + 40);
        write(text, base);
        write(text, highest - base);
        write(text, leaderEpoch + 1L);
        long last = base;
        for (long offset : open) {
            write(text, offset - last);
            last = offset;
        }
        return PREFIX + scope.checksum(text) + text;
    }

    /**
     * Reads the metadata of a committed offset.
     *
     * @param base the committed offset
     * @param text the metadata, which may be any text
     * @param logEnd the end of the partition: nothing from there on can be settled
     * @param scope the scope in which the metadata was found
     * @return {@link #NONE} unless the metadata was written for exactly this offset and scope, and is possible
     */
    static CommitMetadata decode(long base, String text, long logEnd, Scope scope) {
        int start = PREFIX.length() + CHECKSUM_DIGITS;
        if (text.length() < start || !text.startsWith(PREFIX)) {
            return NONE;
        }
        CharSequence numbers = text.subSequence(start, text.length());
        if (!text.startsWith(scope.checksum(numbers), PREFIX.length())) {
            return NONE;
        }
        try {
            return decode(base, new Reader(numbers), logEnd);
        } catch (IllegalArgumentException | ArithmeticException notOurs) {
            return NONE;
        }
    }

    private static CommitMetadata decode(long base, Reader numbers, long logEnd) {
        if (base < 0 || numbers.read() != base) {
            return NONE;
        }
        long highest = Math.addExact(base, numbers.read());
        int leaderEpoch = Math.toIntExact(numbers.read() - 1);
        LongStream.Builder open = LongStream.builder();
        long last = -1;
        long offset = base;
        while (numbers.hasNext()) {
            offset = Math.addExact(offset, numbers.read());
            if (offset <= last || offset > highest) {
                return NONE;
            }
            open.add(offset);
            last = offset;
        }
        return highest < logEnd
                ? new CommitMetadata(base, highest, leaderEpoch, open.build().toArray())
                : NONE;
    }

    /**
     * Appends a number that is not negative: each digit has five bits of the number, the lowest first, and one bit that
     * says whether more digits follow.
     */
    private static void write(StringBuilder text, long number) {
        long rest = number;
        while (rest >= MORE) {
            text.append(DIGITS.charAt((int) (rest % MORE) + MORE));
            rest /= MORE;
        }
        text.append(DIGITS.charAt((int) rest));
    }

    /** Reads numbers one after another. */
    private static final class Reader {
        private final CharSequence text;
        private int position;

        Reader(CharSequence text) {
            this.text = text;
        }

        boolean hasNext() {
            return position < text.length();
        }

        long read() {
            long number = 0;
            for (int shift = 0; shift <= MAX_SHIFT && hasNext(); shift += 5) {
                int digit = DIGITS.indexOf(text.charAt(position++));
                if (digit < 0) {
                    break;
                }
                number |= (long) (digit % MORE) << shift;
                if (digit < MORE) {
                    return number;
                }
            }
            throw new IllegalArgumentException("no number");
        }
    }

    /**
     * The scope in which metadata is valid.
     *
     * @param clusterId the id of the cluster
     * @param groupId the group that commits. Another group, to which its offsets were copied, has settled nothing
     * @param partition the partition
     */
    record Scope(String clusterId, @Nullable String groupId, TopicPartition partition) {
        String checksum(CharSequence numbers) {
            CRC32C checksum = new CRC32C();
            checksum.update(
                    (numbers + "@" + clusterId + "/" + groupId + "/" + partition).getBytes(StandardCharsets.UTF_8));
            long rest = checksum.getValue();
            StringBuilder digits = new StringBuilder(CHECKSUM_DIGITS);
            for (int i = 0; i < CHECKSUM_DIGITS; i++) {
                digits.append(DIGITS.charAt((int) (rest % DIGITS.length())));
                rest /= DIGITS.length();
            }
            return digits.toString();
        }
    }
}
