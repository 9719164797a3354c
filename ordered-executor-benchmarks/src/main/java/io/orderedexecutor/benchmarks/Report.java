package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Row.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/** The tables, as Markdown. */
final class Report {
    private static final String NONE = "–";

    private final Plan plan;
    private final Results results;
    private final StringBuilder text = new StringBuilder();

    Report(Plan plan, Results results) {
        this.plan = plan;
        this.results = results;
    }

    String markdown() {
        List<Row> throughput = rows(Table.THROUGHPUT);
        if (!throughput.isEmpty()) {
            table("Throughput, × unordered in the same round: median (lowest – highest)", throughput, this::ratio);
            table(
                    "Throughput, million tasks/s: median",
                    throughput,
                    (row, subject) -> scaled(row, subject, Metric.TASKS_PER_SECOND, 1e-6, 2));
            table(
                    "Allocated, bytes for each task beyond the task itself: median",
                    throughput,
                    (row, subject) -> scaled(row, subject, Metric.BYTES_ALLOCATED, 1, 0));
        }
        return text.toString();
    }

    private List<Row> rows(Table table) {
        return plan.rows().stream()
                .filter(row -> row.table == table && results.has(row))
                .toList();
    }

    private void table(String title, List<Row> rows, BiFunction<Row, Subject, String> cell) {
        text.append("\n### ").append(title).append("\n\n");
        List<String> heads = new ArrayList<>(List.of("executor", "order"));
        rows.forEach(row -> heads.add(row.title));
        line(heads);
        line(Collections.nCopies(heads.size(), "---"));
        for (Subject subject : plan.subjects()) {
            List<String> cells = new ArrayList<>(List.of(subject.name(), subject.kind().label));
            rows.forEach(row -> cells.add(withVerdict(row, subject, cell.apply(row, subject))));
            line(cells);
        }
    }

    private void line(List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private String withVerdict(Row row, Subject subject, String figure) {
        Verdict verdict = results.verdict(row, subject.name());
        if (verdict == Verdict.OK) {
            return figure;
        }
        return verdict.isMeasurable() ? figure + " **" + verdict.label + "**" : "**" + verdict.label + "**";
    }

    private String ratio(Row row, Subject subject) {
        List<Double> ratios = results.ratios(row, subject.name(), Subjects.UNORDERED, Metric.TASKS_PER_SECOND);
        return ratios.isEmpty()
                ? NONE
                : number(Statistics.median(ratios), 2) + " (" + number(Collections.min(ratios), 2) + " – "
                        + number(Collections.max(ratios), 2) + ")";
    }

    private String scaled(Row row, Subject subject, Metric metric, double factor, int digits) {
        return number(results.median(row, subject.name(), metric) * factor, digits);
    }

    static String number(double value, int digits) {
        return Double.isNaN(value) ? NONE : String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
