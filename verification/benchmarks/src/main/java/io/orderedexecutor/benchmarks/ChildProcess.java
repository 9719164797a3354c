package io.orderedexecutor.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link Child}, as seen from the JVM that asks for samples. */
final class ChildProcess implements AutoCloseable {
    private final Subject subject;
    private final Process process;
    private final BufferedReader answers;
    private final Writer orders;
    private Verdict verdict = Verdict.OK;

    private ChildProcess(Subject subject, Process process) {
        this.subject = subject;
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
    }

    static ChildProcess start(Row row, Subject subject, Plan plan, History history) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(row.table.jvmArguments(plan));
        if (subject.earlier() != null) {
            command.addAll(subject.earlier().jvmArguments());
        }
        command.addAll(List.of("-cp", classPath(subject), Child.class.getName()));
        command.addAll(List.of(row.key, subject.plainName(), plan.settings().format(), history.name()));
        try {
            return new ChildProcess(
                    subject,
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Another build of the core goes before this one, whose classes then are not found. */
    private static String classPath(Subject subject) {
        String ofThisBuild = System.getProperty("java.class.path");
        return subject.earlier() == null
                ? ofThisBuild
                : subject.earlier().classPath() + File.pathSeparator + ofThisBuild;
    }

    Subject subject() {
        return subject;
    }

    /** What is known of the subject until now. */
    Verdict verdict() {
        return verdict;
    }

    /** Asks for a sample; null if there is none that means anything. */
    @Nullable
    Sample measure() {
        String answer = verdict.isMeasurable() ? ask(Child.MEASURE) : null;
        if (answer == null) {
            return null;
        }
        String[] parts = answer.split(" ", 2);
        judge(Verdict.valueOf(parts[0]));
        return verdict.isMeasurable() ? Sample.parse(parts[1]) : null;
    }

    /** Ends the JVM, and hears its last word. */
    @Override
    public void close() {
        if (verdict.isMeasurable()) {
            String answer = ask(Child.END);
            if (answer != null) {
                judge(Verdict.valueOf(answer));
            }
        }
        process.destroyForcibly();
    }

    private void judge(Verdict newer) {
        verdict = verdict.worse(newer);
    }

    private @Nullable String ask(String order) {
        try {
            orders.write(order + "\n");
            orders.flush();
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith(Child.MARK)) {
                    return line.substring(Child.MARK.length());
                }
                System.err.println(subject.name() + ": " + line);
            }
        } catch (IOException gone) {
            System.err.println(subject.name() + ": " + gone);
        }
        judge(Verdict.FAILED);
        return null;
    }
}
