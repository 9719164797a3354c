package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Lets the subjects of a row take turns: A B C, B C A, C A B, ... Each has a JVM of its own, all of which are there at
 * once and of which one works at a time. What slows the machine down for a while slows all of a round down, and leaves
 * their ratios alone.
 */
final class Tournament {
    private final Plan plan;
    private final History history;
    private final Results results = new Results();

    Tournament(Plan plan, History history) {
        this.plan = plan;
        this.history = history;
    }

    Results run() {
        for (Row row : plan.rows()) {
            for (int fork = 1; fork <= plan.forks(); fork++) {
                System.err.printf(
                        "%tT %s, %s, fork %d of %d%n",
                        System.currentTimeMillis(), history.key(), row.title, fork, plan.forks());
                runFork(row);
            }
        }
        return results;
    }

    private void runFork(Row row) {
        List<ChildProcess> children = new ArrayList<>();
        try {
            for (Subject subject : plan.subjects().stream()
                    .filter(candidate -> plan.measures(row, candidate))
                    .toList()) {
                children.add(ChildProcess.start(row, subject, plan, history));
            }
            List<ChildProcess> order = new ArrayList<>(children);
            for (int warmup = 0; warmup < row.table.warmups(plan); warmup++) {
                order.forEach(ChildProcess::measure);
            }
            for (int round = 0; round < row.table.rounds(plan); round++) {
                order.forEach(child -> results.add(row, child.subject(), child.measure()));
                Collections.rotate(order, -1);
            }
        } finally {
            for (ChildProcess child : children) {
                child.close();
                results.judge(row, child.subject(), child.verdict());
            }
        }
    }
}
