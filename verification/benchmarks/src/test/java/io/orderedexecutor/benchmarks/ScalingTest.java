package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScalingTest {

    /** A task takes a bin to enter its order, and one to leave; who leaves a request there takes none. */
    @Test
    void whatTheCoreDoesIsFoundAndCounted() throws Exception {
        Scaling.Cost stripes = Scaling.cost(Row.THOUSAND_STRIPES, Subjects.OURS, 2, 2_048);
        assertThat(stripes.bins() + stripes.left()).isBetween(1.9, 2.2);
        assertThat(stripes.contended()).isGreaterThanOrEqualTo(stripes.left());
        assertThat(stripes.ofSubmitter()).isGreaterThan(1);
        assertThat(stripes.ofThread()).isGreaterThan(1);

        Scaling.Cost capacity = Scaling.cost(Row.FEATURES, Subjects.OURS_CAPACITY, 2, 2_048);
        assertThat(capacity.sharedOfSubmitter())
                .as("a count that all submitters write")
                .isGreaterThanOrEqualTo(1);
        assertThat(Scaling.cost(Row.GROUPS_100, Subjects.OURS_GROUPED, 2, 2_048).bins())
                .as("of two keys")
                .isGreaterThan(2.5);
        CountingLoader.requireAllFound();
    }

    @Test
    void looksAtABinThatIsTakenAreOneContention() throws Exception {
        long contended = Counts.sum(Operation.CONTENDED_BIN);
        long taken = Counts.sum(Operation.BIN);
        long left = Counts.sum(Operation.LEFT);
        Counts.tried(false);
        Counts.tried(false);
        Counts.tried(true);
        Counts.tried(false);
        Counts.triedOrPosted(Outcome.POSTED);
        Counts.triedOrPosted(Outcome.POSTED);
        Counts.triedOrPosted(Outcome.TAKEN);
        assertThat(Counts.sum(Operation.CONTENDED_BIN) - contended).isEqualTo(3);
        assertThat(Counts.sum(Operation.BIN) - taken).isEqualTo(1);
        assertThat(Counts.sum(Operation.LEFT) - left).isEqualTo(2);
    }

    private enum Outcome {
        TAKEN,
        POSTED
    }
}
