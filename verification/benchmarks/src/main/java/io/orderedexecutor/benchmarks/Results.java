package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All samples and verdicts. The samples of a round were taken right after each other, and are compared with each other.
 */
final class Results {
    private final Map<Row, Map<String, Entry>> entries = new EnumMap<>(Row.class);

    private static final class Entry {
        private final List<@Nullable Sample> rounds = new ArrayList<>();
        private Verdict verdict = Verdict.OK;
    }

    /** Null for a round in which there was none to be had. */
    void add(Row row, Subject subject, @Nullable Sample sample) {
        entry(row, subject).rounds.add(sample);
    }

    void judge(Row row, Subject subject, Verdict verdict) {
        Entry entry = entry(row, subject);
        entry.verdict = entry.verdict.worse(verdict);
    }

    private Entry entry(Row row, Subject subject) {
        return entries.computeIfAbsent(row, r -> new HashMap<>()).computeIfAbsent(subject.name(), s -> new Entry());
    }

    boolean has(Row row) {
        return entries.containsKey(row);
    }

    boolean has(Row row, String subject) {
        return find(row, subject) != null;
    }

    Verdict verdict(Row row, String subject) {
        Entry entry = find(row, subject);
        return entry == null ? Verdict.FAILED : entry.verdict;
    }

    /** The median over all rounds; NaN if there are none. */
    double median(Row row, String subject, Metric metric) {
        return Statistics.median(values(row, subject, metric));
    }

    /** The ratio to another subject, in each round in which there are both. */
    List<Double> ratios(Row row, String subject, String base, Metric metric) {
        return compared(row, subject, metric, base, metric, (value, ofBase) -> value / ofBase);
    }

    /** How much more it is than with another subject, in each round in which there are both. */
    List<Double> differences(Row row, String subject, String base, Metric metric) {
        return compared(row, subject, metric, base, metric, (value, ofBase) -> value - ofBase);
    }

    /** How much more it is than another metric of the subject, in each round in which there are both. */
    List<Double> differences(Row row, String subject, Metric metric, Metric base) {
        return compared(row, subject, metric, subject, base, (value, ofBase) -> value - ofBase);
    }

    private List<Double> compared(
            Row row, String subject, Metric metric, String base, Metric baseMetric, DoubleBinaryOperator comparison) {
        Entry entry = find(row, subject);
        Entry baseEntry = find(row, base);
        List<Double> compared = new ArrayList<>();
        if (entry != null && baseEntry != null) {
            for (int i = 0; i < Math.min(entry.rounds.size(), baseEntry.rounds.size()); i++) {
                Double value = value(entry.rounds.get(i), metric);
                Double ofBase = value(baseEntry.rounds.get(i), baseMetric);
                if (value != null && ofBase != null) {
                    compared.add(comparison.applyAsDouble(value, ofBase));
                }
            }
        }
        return compared;
    }

    /** Of each round that has one. */
    List<Double> values(Row row, String subject, Metric metric) {
        Entry entry = find(row, subject);
        return entry == null
                ? List.of()
                : entry.rounds.stream()
                        .map(sample -> value(sample, metric))
                        .flatMap(Stream::ofNullable)
                        .map(Objects::requireNonNull)
                        .toList();
    }

    private static @Nullable Double value(@Nullable Sample sample, Metric metric) {
        return sample == null ? null : sample.values().get(metric);
    }

    private @Nullable Entry find(Row row, String subject) {
        Map<String, Entry> ofRow = entries.get(row);
        return ofRow == null ? null : ofRow.get(subject);
    }
}
