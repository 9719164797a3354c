package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.List;

/** Prints the tables. */
public final class Main {

    private Main() {}

    /**
     * Measures, and prints to the standard output; progress goes to the standard error.
     *
     * @param args see {@link Options#USAGE}
     */
    public static void main(String[] args) throws Exception {
        List<String> arguments = List.of(args);
        if (arguments.contains("--help")) {
            System.out.print(Options.USAGE);
        } else if (args.length > 0 && args[0].equals("scaling")) {
            System.out.print(Scaling.table(Scaling.THREADS));
        } else if (args.length > 0 && args[0].equals("jmh")) {
            org.openjdk.jmh.Main.main(Arrays.copyOfRange(args, 1, args.length));
        } else {
            tables(arguments);
        }
    }

    private static void tables(List<String> arguments) throws Exception {
        Plan plan;
        try {
            plan = Options.parse(arguments);
        } catch (IllegalArgumentException mistake) {
            System.err.println(mistake.getMessage() + "\n\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        boolean isDesign = arguments.contains(Options.DESIGN_MODE);
        Machine before = Machine.now();
        StringBuilder counts = new StringBuilder();
        if (isDesign) {
            // first: the counts depend on names of the core, and if one has changed, this fails soon
            System.err.printf("%tT counting%n", System.currentTimeMillis());
            counts.append("\n### Counted, not timed\n\n").append(Scaling.table(Scaling.FEW_THREADS));
        }
        StringBuilder reports = new StringBuilder();
        for (History history : plan.histories()) {
            Results results = new Tournament(plan, history).run();
            reports.append("\n## Executors ").append(history.title).append("\n");
            reports.append(new Report(plan, results).bars(isDesign));
            reports.append(new Report(plan, results).markdown());
        }
        System.out.print(before.markdown(plan, Machine.now()) + reports + counts);
    }
}
