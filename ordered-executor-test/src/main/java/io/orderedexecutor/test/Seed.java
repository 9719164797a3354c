package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The seed with which a run can be repeated. Its text is {@code RANDOM-} or {@code PCT-} and the number that the
 * decisions are drawn from, or {@code SCHEDULE-} and the decisions themselves; then {@code -} and the fingerprint of
 * the steps.
 *
 * @param strategy the strategy that draws the decisions from the number
 * @param number the number that the decisions are drawn from
 * @param decisions all decisions; null if they are drawn from the number
 * @param fingerprint the fingerprint of the steps; null if it is not known
 */
record Seed(
        Strategy strategy,
        long number,
        @Nullable List<Integer> decisions,
        @Nullable String fingerprint) {
    private static final String SCHEDULE = "SCHEDULE";
    private static final String HOW = "a seed is a whole number, or what a failed simulation has printed";

    static Seed ofNumber(Strategy strategy, long number) {
        return new Seed(strategy, number, null, null);
    }

    static Seed ofDecisions(List<Decision> decisions) {
        return new Seed(Strategy.EXHAUSTIVE, 0, chosen(decisions), null);
    }

    /** Returns the numbers of the decisions without the zeros at the end, which are the default. */
    static List<Integer> chosen(List<Decision> decisions) {
        int length = decisions.size();
        while (length > 0 && decisions.get(length - 1).chosen() == 0) {
            length--;
        }
        return decisions.stream().limit(length).map(Decision::chosen).toList();
    }

    Seed after(List<Step> steps) {
        return new Seed(strategy, number, decisions, fingerprintOf(steps));
    }

    /** Returns the FNV-1a hash of the text of all steps. */
    static String fingerprintOf(List<Step> steps) {
        int hash = 0x811C9DC5;
        for (Step step : steps) {
            String text = step.toString();
            for (int i = 0; i < text.length(); i++) {
                hash = (hash ^ text.charAt(i)) * 0x01000193;
            }
        }
        return String.format("%08x", hash);
    }

    Choices choices() {
        List<Integer> given = decisions;
        if (given != null) {
            return new Choices.Given(given);
        }
        return strategy == Strategy.PCT ? new Choices.ByPriority(number) : new Choices.AtRandom(number);
    }

    /**
     * Reads a seed that was printed.
     *
     * @throws IllegalArgumentException if the text is not such a seed
     */
    static Seed parse(String text) {
        String[] parts = text.trim().split("-", 3);
        try {
            if (parts.length < 3) {
                throw new IllegalArgumentException("it has no '-' and fingerprint at its end");
            }
            if (parts[0].equals(SCHEDULE)) {
                return new Seed(Strategy.EXHAUSTIVE, 0, parseDecisions(parts[1]), parts[2]);
            }
            return new Seed(Strategy.valueOf(parts[0]), Long.parseUnsignedLong(parts[1], 16), null, parts[2]);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("'" + text + "' is no seed: " + HOW, wrong);
        }
    }

    /** Reads decisions: {@code 0x7.2.1} stands for seven zeros, 2 and 1. */
    private static List<Integer> parseDecisions(String text) {
        List<Integer> decisions = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split("\\.")) {
            int times = part.startsWith("0x") ? Integer.parseInt(part.substring(2)) : 1;
            int decision = part.startsWith("0x") ? 0 : Integer.parseInt(part);
            for (int i = 0; i < times; i++) {
                decisions.add(decision);
            }
        }
        return decisions;
    }

    private static String print(List<Integer> decisions) {
        List<String> parts = new ArrayList<>();
        int zeros = 0;
        for (int decision : decisions) {
            if (decision == 0) {
                zeros++;
                continue;
            }
            if (zeros > 0) {
                parts.add("0x" + zeros);
                zeros = 0;
            }
            parts.add(Integer.toString(decision));
        }
        return String.join(".", parts);
    }

    @Override
    public String toString() {
        List<Integer> given = decisions;
        String what = given == null ? strategy + "-" + Long.toHexString(number) : SCHEDULE + "-" + print(given);
        return what + "-" + fingerprint;
    }
}
