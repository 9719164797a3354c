package io.orderedexecutor.benchmarks;

/** Measures one subject at one row, sample after sample. */
interface Experiment {

    /** None yet. */
    Experiment NONE = new Experiment() {
        @Override
        public Sample measure() {
            throw new IllegalStateException("not started");
        }

        @Override
        public Verdict verdict() {
            return Verdict.FAILED;
        }

        @Override
        public void end() {}
    };

    Sample measure() throws Exception;

    /** What the samples so far have shown; after {@link #end} for good. */
    Verdict verdict();

    /** Ends the subject, so that tasks that run too often have run. */
    void end() throws Exception;
}
