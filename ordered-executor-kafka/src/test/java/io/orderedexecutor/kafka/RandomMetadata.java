package io.orderedexecutor.kafka;

import java.util.Arrays;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;

/**
 * Checks what has to hold for all metadata with many of them. {@code -Dseed=} repeats a run; what fails is made as
 * small as it goes.
 */
final class RandomMetadata {
    private static final long[] EDGES = {0, 1, 31, 32, 1023, 1024, Integer.MAX_VALUE, 1L << 40};

    private RandomMetadata() {}

    /**
     * Checks a property.
     *
     * @param property throws an {@link AssertionError} if it does not hold; the same for the same random numbers
     */
    static void check(int tries, BiConsumer<CommitMetadata, Random> property) {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int i = 0; i < tries; i++) {
            long each = seed + i;
            CommitMetadata metadata = metadata(new Random(each));
            AssertionError failure = failure(property, metadata, each);
            if (failure != null) {
                CommitMetadata smallest = smallest(property, metadata, each);
                throw new AssertionError(
                        "-Dseed=" + each + ", base " + smallest.base() + ", highest " + smallest.highest() + ", open "
                                + Arrays.toString(smallest.open()),
                        failure(property, smallest, each));
            }
        }
    }

    private static CommitMetadata metadata(Random random) {
        long base = random.nextInt(3) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextLong(1L << 40);
        long distance = 1 + random.nextLong(random.nextBoolean() ? 100 : 1_000_000);
        long[] open = random.longs(random.nextInt(400), 0, distance)
                .distinct()
                .sorted()
                .map(each -> base + each)
                .toArray();
        long above = open.length == 0 ? base : open[open.length - 1] + 1;
        long highest = above + random.nextLong(random.nextBoolean() ? 2 : 2000);
        return new CommitMetadata(base, highest, random.nextInt(200) - 1, open);
    }

    private static AssertionError failure(
            BiConsumer<CommitMetadata, Random> property, CommitMetadata metadata, long seed) {
        try {
            property.accept(metadata, new Random(~seed));
            return null;
        } catch (AssertionError e) {
            return e;
        } catch (RuntimeException e) {
            return new AssertionError(e);
        }
    }

    /** Leaves out open offsets, by halves, quarters and so on, as long as it fails. */
    private static CommitMetadata smallest(
            BiConsumer<CommitMetadata, Random> property, CommitMetadata metadata, long seed) {
        CommitMetadata smallest = metadata;
        for (int piece = metadata.open().length / 2; piece > 0; piece /= 2) {
            for (int from = 0; from + piece <= smallest.open().length; ) {
                CommitMetadata smaller = without(smallest, from, from + piece);
                if (failure(property, smaller, seed) == null) {
                    from += piece;
                } else {
                    smallest = smaller;
                }
            }
        }
        return smallest;
    }

    private static CommitMetadata without(CommitMetadata metadata, int from, int to) {
        long[] open = metadata.open();
        return new CommitMetadata(
                metadata.base(),
                metadata.highest(),
                metadata.leaderEpoch(),
                LongStream.concat(Arrays.stream(open, 0, from), Arrays.stream(open, to, open.length))
                        .toArray());
    }
}
