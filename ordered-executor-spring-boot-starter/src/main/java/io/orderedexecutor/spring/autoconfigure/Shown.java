package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.FailureDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.stats.RunningTask;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Shows values of the application in one answer: its keys, tasks, messages and stacks. Each value is either masked, or
 * passed through the {@link org.springframework.boot.actuate.endpoint.SanitizingFunction}s of the application, under
 * the name of its property.
 *
 * @param sanitizer applies the functions
 * @param values whether values are shown at all
 * @param stacks whether the request asks for stacks
 */
record Shown(Sanitizer sanitizer, boolean values, boolean stacks) {
    private static final String PREFIX = "orderedexecutors.";

    /** How many tasks of a batch are shown. */
    private static final int MAX_OF_BATCH = 10;

    String key(Object key) {
        return sanitized("key", () -> textOf(key));
    }

    /** Returns the name of an output as it is shown. */
    String output(Object output) {
        return sanitized("output", () -> textOf(output));
    }

    String task(Object task) {
        return sanitized("task", () -> task instanceof List<?> batch ? textOfBatch(batch) : textOf(task));
    }

    /** Whether a line of a stack is shown as it is. */
    boolean showsLine(StackTraceElement line) {
        return sanitized("stack", line::toString).equals(line.toString());
    }

    RunningTaskDescriptor runningTask(RunningTask running) {
        Object key = running.key();
        Thread thread = running.thread();
        Object task = running.task();
        Duration age = running.age();
        return new RunningTaskDescriptor(
                key == null || key instanceof OrderedOutput ? null : key(key),
                key instanceof OrderedOutput<?> output ? output(output.name()) : null,
                thread == null ? null : thread.getName(),
                age == null ? null : age.truncatedTo(ChronoUnit.MILLIS),
                task == null ? null : task(task),
                thread == null ? null : stack(thread));
    }

    FailureDescriptor failure(Throwable failure) {
        String message = messageOf(failure);
        return new FailureDescriptor(
                failure.getClass().getName(),
                message == null ? null : sanitized("message", () -> message),
                stacks ? lines(stackOf(failure)) : null);
    }

    private @Nullable List<String> stack(Thread thread) {
        return stacks
                ? lines(Arrays.stream(thread.getStackTrace())
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining("\n")))
                : null;
    }

    private List<String> lines(String stack) {
        return sanitized("stack", () -> stack).lines().map(String::strip).toList();
    }

    /** Asks for the text only if values are shown: the code of the application that makes it may be slow. */
    private String sanitized(String property, Supplier<String> text) {
        return values
                ? String.valueOf(sanitizer.sanitize(new SanitizableData(null, PREFIX + property, text.get()), true))
                : SanitizableData.SANITIZED_VALUE;
    }

    /** Shows the first tasks of a batch, each for itself: one that cannot be printed does not hide the others. */
    private static String textOfBatch(List<?> tasks) {
        String first = tasks.stream().limit(MAX_OF_BATCH).map(Shown::textOf).collect(Collectors.joining(", "));
        int others = tasks.size() - MAX_OF_BATCH;
        return others <= 0 ? "[" + first + "]" : "[" + first + ", and " + others + " more]";
    }

    // code of the application may fail here; its class is more useful than an error

    static String textOf(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable e) {
            return "<" + object.getClass().getName() + ", whose toString() throws "
                    + e.getClass().getName() + ">";
        }
    }

    private static @Nullable String messageOf(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (Throwable e) {
            return "<" + failure.getClass().getName() + ", whose getMessage() throws "
                    + e.getClass().getName() + ">";
        }
    }

    private static String stackOf(Throwable failure) {
        StringWriter stack = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(stack));
        } catch (Throwable e) {
            stack.append("<cut off by ").append(e.getClass().getName()).append(">");
        }
        return stack.toString();
    }
}
