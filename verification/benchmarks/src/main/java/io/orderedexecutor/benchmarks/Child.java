package io.orderedexecutor.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The JVM of one subject: takes a sample whenever it is told to, and sleeps in between. What it says to
 * {@link ChildProcess} begins with {@link #MARK}.
 */
final class Child {
    static final String MARK = "@@ ";
    static final String MEASURE = "measure";
    static final String END = "end";

    private static final int PATIENCE_MINUTES = 5;

    private Child() {}

    /**
     * Runs until it is told to end, or nobody is there to tell.
     *
     * @param args the row, the subject, the settings and what runs before
     */
    public static void main(String[] args) {
        int status = 0;
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            serve(() -> start(args[0], args[1], Settings.parse(args[2]), History.valueOf(args[3])), orders);
        } catch (Throwable failure) {
            System.err.println(args[1] + ": " + failure);
            status = 1;
        } finally {
            // a subject whose threads do not end must not keep the others waiting
            Runtime.getRuntime().halt(status);
        }
    }

    private static Experiment start(String row, String subject, Settings settings, History history) throws Exception {
        history.play(settings);
        return Row.keyed(row).start(Subjects.named(subject), settings);
    }

    /** Nothing is started before the first order: all JVMs are there at once, and one of them works at a time. */
    private static void serve(Callable<Experiment> start, BufferedReader orders) throws Exception {
        Experiment experiment = Experiment.NONE;
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (experiment == Experiment.NONE) {
                experiment = start.call();
            }
            if (order.equals(END)) {
                experiment.end();
                say(experiment.verdict().name());
                return;
            }
            Sample sample = measure(experiment);
            say(experiment.verdict().name() + " " + sample.format());
        }
    }

    /** A subject that blocks its submitter for good would keep the others waiting, too. */
    private static Sample measure(Experiment experiment) throws Exception {
        Thread watch = new Thread(Child::haltAfterPatience);
        watch.setDaemon(true);
        watch.start();
        try {
            return experiment.measure();
        } finally {
            watch.interrupt();
        }
    }

    private static void haltAfterPatience() {
        try {
            TimeUnit.MINUTES.sleep(PATIENCE_MINUTES);
            System.err.println("no sample in " + PATIENCE_MINUTES + " minutes");
            Runtime.getRuntime().halt(1);
        } catch (InterruptedException measured) {
            // there is a sample: nothing to watch any more
        }
    }

    private static void say(String line) throws IOException {
        System.out.write((MARK + line + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
