package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Row.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

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
        List<Column> ratios = new ArrayList<>();
        List<Column> throughput = new ArrayList<>();
        List<Column> allocated = new ArrayList<>();
        List<Column> processor = new ArrayList<>();
        for (Row row : rows(Table.THROUGHPUT)) {
            ratios.add(new Column(row, row.title, this::ratioToUnordered));
            throughput.add(column(row, row.title, Metric.TASKS_PER_SECOND, 1e-6, 2));
            allocated.add(column(row, row.title, Metric.BYTES_ALLOCATED, 1, 0));
            processor.add(column(row, row.title, Metric.PROCESSOR_NANOS, 1, 0));
        }
        List<Column> submissions = new ArrayList<>();
        for (Row row : rows(Table.SUBMISSION)) {
            submissions.add(column(row, "behind 1,000 tasks", Metric.SUBMISSION_BEHIND_FEW, 1, 0));
            submissions.add(column(row, "behind 100,000 tasks", Metric.SUBMISSION_BEHIND_MANY, 1, 0));
        }
        List<Column> calls = new ArrayList<>();
        for (Row row : rows(Table.CALLS)) {
            calls.add(column(row, row.title, Metric.TASKS_PER_SECOND, 1, 0));
        }
        List<Column> waits = new ArrayList<>();
        for (Row row : rows(Table.WAIT)) {
            waits.add(column(row, row.title + ": p50", Metric.WAIT_P50, 1e-3, 0));
            waits.add(column(row, "p99", Metric.WAIT_P99, 1e-3, 0));
            waits.add(column(row, "p99.9", Metric.WAIT_P999, 1e-3, 0));
            waits.add(column(row, "longest", Metric.WAIT_MAX, 1e-3, 0));
        }
        List<Column> memory = new ArrayList<>();
        for (Row row : rows(Table.MEMORY)) {
            memory.add(column(row, "queued task", Metric.BYTES_PER_QUEUED_TASK, 1, 1));
            memory.add(column(row, "open stripe with one task", Metric.BYTES_PER_OPEN_STRIPE, 1, 1));
            memory.add(column(row, "idle stripe", Metric.BYTES_PER_IDLE_STRIPE, 1, 1));
            memory.add(column(row, "empty executor", Metric.BYTES_OF_EMPTY_EXECUTOR, 1, 0));
        }
        List<Column> executions = new ArrayList<>();
        for (Row row : rows(Table.EXECUTE)) {
            executions.add(column(row, row.title + ": over 1 ms", Metric.CALLS_OVER_1_MS, 1, 1));
            executions.add(column(row, "over 20 ms", Metric.CALLS_OVER_20_MS, 1, 1));
        }
        List<Column> barriers = new ArrayList<>();
        for (Row row : rows(Table.BARRIER)) {
            barriers.add(column(row, "beside barriers", Metric.LONGEST_CALL, 1e-6, 2));
            barriers.add(column(row, "before", Metric.LONGEST_CALL_QUIET, 1e-6, 2));
        }
        List<Column> scrapes = new ArrayList<>();
        for (Row row : rows(Table.SCRAPE)) {
            scrapes.add(column(row, row.title, Metric.SCRAPE_NANOS, 1e-6, 1));
        }
        List<Column> scrapedKeys = new ArrayList<>();
        for (Row row : rows(Table.SCRAPED_KEY)) {
            scrapedKeys.add(column(row, "beside scrapes", Metric.CALLS_OVER_5_MS, 1, 1));
            scrapedKeys.add(column(row, "before", Metric.CALLS_OVER_5_MS_QUIET, 1, 1));
        }
        List<Column> discards = new ArrayList<>();
        for (Row row : rows(Table.DISCARD)) {
            discards.add(column(row, row.title, Metric.TASKS_PER_SECOND, 1e-6, 2));
        }
        table("Throughput, × unordered in the same round: median (lowest – highest)", ratios);
        earlierBuild();
        table("Throughput, million tasks/s: median", throughput);
        table("Allocated, bytes for each task beyond the task itself: median", allocated);
        table("Processor time of all threads, ns for each task: median", processor);
        table("One submission, ns: median of the rounds", submissions);
        table("Items/s: median of the rounds", calls);
        table("Calls of execute that take long, of a million: median of the rounds", executions);
        table("The longest call of a submitter, ms, 100,000 open keys: median of the rounds", barriers);
        table("What a scrape reads, ms: median of the rounds", scrapes);
        table("Calls of execute over 5 ms beside a long backlog, of a million: median of the rounds", scrapedKeys);
        table("Submissions that drop the oldest task, million/s: median of the rounds", discards);
        table("Wait from submission to start, µs: median of the rounds", waits);
        table("Heap, bytes for each, beyond tasks and keys", memory);
        return text.toString();
    }

    private List<Row> rows(Table table) {
        return plan.rows().stream()
                .filter(row -> row.table == table && results.has(row))
                .toList();
    }

    private record Column(Row row, String head, Cell cell) {}

    private interface Cell {
        String text(Row row, Subject subject);
    }

    private Column column(Row row, String head, Metric metric, double factor, int digits) {
        return new Column(
                row, head, (r, subject) -> number(results.median(r, subject.name(), metric) * factor, digits));
    }

    private String ratioToUnordered(Row row, Subject subject) {
        return spread(results.ratios(row, subject.name(), Subjects.UNORDERED, Metric.TASKS_PER_SECOND));
    }

    /** What changed since another build, if there is one: the bar of a change is not to be slower than it. */
    private void earlierBuild() {
        List<Column> columns = new ArrayList<>();
        for (Row row : rows(Table.THROUGHPUT)) {
            columns.add(new Column(row, row.title, (r, subject) -> change(r, subject, Metric.TASKS_PER_SECOND)));
        }
        for (Row row : rows(Table.WAIT)) {
            columns.add(new Column(row, row.title + ": p99", (r, subject) -> change(r, subject, Metric.WAIT_P99)));
        }
        List<Subject> earlier =
                plan.subjects().stream().filter(s -> s.earlier() != null).toList();
        table("This build, × the other one in the same round: median (lowest – highest)", columns, earlier);
    }

    private String change(Row row, Subject earlier, Metric metric) {
        return spread(results.ratios(row, earlier.plainName(), earlier.name(), metric));
    }

    private static String spread(List<Double> ratios) {
        return ratios.isEmpty()
                ? NONE
                : number(Statistics.median(ratios), 2) + " (" + number(Collections.min(ratios), 2) + " – "
                        + number(Collections.max(ratios), 2) + ")";
    }

    private void table(String title, List<Column> columns) {
        table(title, columns, plan.subjects());
    }

    private void table(String title, List<Column> columns, List<Subject> subjects) {
        if (columns.isEmpty() || subjects.isEmpty()) {
            return;
        }
        List<String> heads = new ArrayList<>(List.of("executor", "order"));
        columns.forEach(column -> heads.add(column.head));
        List<Subject> measured = subjects.stream()
                .filter(subject -> columns.stream().anyMatch(column -> plan.measures(column.row, subject)))
                .toList();
        if (measured.isEmpty()) {
            return;
        }
        begin(title, heads);
        for (Subject subject : measured) {
            List<String> cells = new ArrayList<>(List.of(subject.name(), subject.kind().label));
            columns.forEach(
                    column -> cells.add(plan.measures(column.row, subject) ? withVerdict(column, subject) : ""));
            line(cells);
        }
    }

    private String withVerdict(Column column, Subject subject) {
        Verdict verdict = results.verdict(column.row, subject.name());
        String figure = verdict.isMeasurable() ? column.cell.text(column.row, subject) : "";
        return verdict == Verdict.OK ? figure : (figure + " **" + verdict.label + "**").strip();
    }

    /**
     * The bars that there are figures for.
     *
     * @param all whether those of the rows that are to be measured are shown without one, too
     */
    String bars(boolean all) {
        List<List<String>> lines = new ArrayList<>();
        for (Bar bar : Bar.ALL) {
            Figure figure = bar.value().apply(results);
            if (figure.isMeasured()
                    || (all && isOfThisRun(bar))
                    || !bar.complaint(results).isEmpty()) {
                lines.add(barLine(bar, figure));
            }
        }
        if (!lines.isEmpty()) {
            begin("Bars", List.of("workload", "figure", "bar", "median", "range", "met"));
            lines.forEach(this::line);
        }
        return text.toString();
    }

    private boolean isOfThisRun(Bar bar) {
        return bar.uses().stream().anyMatch(use -> plan.rows().contains(use.row()));
    }

    private List<String> barLine(Bar bar, Figure figure) {
        String complaint = bar.complaint(results);
        String median = figure.isMeasured() ? Figure.number(figure.median()) : NONE;
        String range = figure.isMeasured() ? figure.range() : NONE;
        String met;
        if (!complaint.isEmpty()) {
            met = "**" + complaint + "**";
        } else if (!figure.isMeasured()) {
            met = "not measured";
        } else if (bar.rule().isMetBy(figure)) {
            met = "yes";
        } else {
            met = bar.rule().isDirection() ? "not yet" : "**no**";
        }
        return List.of(bar.workload(), bar.compared(), bar.rule().text(), median, range, met);
    }

    private void begin(String title, List<String> heads) {
        text.append("\n### ").append(title).append("\n\n");
        line(heads);
        line(Collections.nCopies(heads.size(), "---"));
    }

    private void line(List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String number(double value, int digits) {
        return Double.isNaN(value) ? NONE : String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
