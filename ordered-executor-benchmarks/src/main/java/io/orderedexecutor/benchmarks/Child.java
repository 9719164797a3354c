package io.orderedexecutor.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The JVM of one subject: takes a sample whenever it is told to, and sleeps in between. What it says to {@link ChildProcess} begins
 * with {@link #MARK}.
 */
final class Child {
    static final String MARK = "@@ ";
    static final String MEASURE = "measure";
    static final String END = "end";

    private Child() {}

    /**
     * Runs until it is told to end, or nobody is there to tell.
     *
     * @param args the row, the subject and the settings
     */
    public static void main(String[] args) {
        int status = 0;
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            serve(Row.keyed(args[0]).start(Subjects.named(args[1]), Settings.parse(args[2])), orders);
        } catch (Throwable failure) {
            System.err.println(args[1] + ": " + failure);
            status = 1;
        } finally {
            // a subject whose threads do not end must not keep the others waiting
            Runtime.getRuntime().halt(status);
        }
    }

    private static void serve(Experiment experiment, BufferedReader orders) throws Exception {
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals(END)) {
                experiment.end();
                say(experiment.verdict().name());
                return;
            }
            Sample sample = experiment.measure();
            say(experiment.verdict().name() + " " + sample.format());
        }
    }

    private static void say(String line) throws IOException {
        System.out.write((MARK + line + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
