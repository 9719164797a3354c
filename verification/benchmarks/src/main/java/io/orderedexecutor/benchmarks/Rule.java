package io.orderedexecutor.benchmarks;

/**
 * When a bar is met.
 *
 * @param kind what is compared
 * @param limit with what
 */
record Rule(Kind kind, double limit) {
    /**
     * What is as good as before is better in half of the rounds: it is worse if there are fewer than a quarter in which
     * it is as good.
     */
    private static final double ENOUGH_ROUNDS = 0.25;

    /** What is compared. */
    enum Kind {
        AT_LEAST,
        AT_MOST,
        /** At least so much in enough rounds. */
        NOT_LESS,
        /** At most so much in enough rounds. */
        NOT_MORE,
        /** A direction: it is told how far it is, and nothing fails. */
        TOWARDS_AT_LEAST,
        TOWARDS_AT_MOST
    }

    static Rule atLeast(double limit) {
        return new Rule(Kind.AT_LEAST, limit);
    }

    static Rule atMost(double limit) {
        return new Rule(Kind.AT_MOST, limit);
    }

    static Rule notLessThan(double limit) {
        return new Rule(Kind.NOT_LESS, limit);
    }

    static Rule notMoreThan(double limit) {
        return new Rule(Kind.NOT_MORE, limit);
    }

    static Rule towardsAtLeast(double limit) {
        return new Rule(Kind.TOWARDS_AT_LEAST, limit);
    }

    static Rule towardsAtMost(double limit) {
        return new Rule(Kind.TOWARDS_AT_MOST, limit);
    }

    boolean isMetBy(Figure figure) {
        return switch (kind) {
            case AT_LEAST, TOWARDS_AT_LEAST -> figure.median() >= limit;
            case AT_MOST, TOWARDS_AT_MOST -> figure.median() <= limit;
            case NOT_LESS -> figure.share(value -> value >= limit) >= ENOUGH_ROUNDS;
            case NOT_MORE -> figure.share(value -> value <= limit) >= ENOUGH_ROUNDS;
        };
    }

    boolean isDirection() {
        return kind == Kind.TOWARDS_AT_LEAST || kind == Kind.TOWARDS_AT_MOST;
    }

    /** As a table shows it. */
    String text() {
        String number = Figure.number(limit);
        return switch (kind) {
            case AT_LEAST -> "≥ " + number;
            case AT_MOST -> "≤ " + number;
            case NOT_LESS -> "not below " + number;
            case NOT_MORE -> "not above " + number;
            case TOWARDS_AT_LEAST -> "towards ≥ " + number;
            case TOWARDS_AT_MOST -> "towards ≤ " + number;
        };
    }
}
