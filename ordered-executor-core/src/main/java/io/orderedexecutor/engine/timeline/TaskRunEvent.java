package io.orderedexecutor.engine.timeline;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A task from its start to its end, or to the end of an attempt. Its duration is the time that it has run. */
@Name("io.orderedexecutor.Task")
@Label("Task")
@Category("Ordered Executors")
@Description("A task from its start to its end")
@Enabled(false)
@StackTrace(false)
final class TaskRunEvent extends Event {
    @Label("Executor")
    String executor = "";

    @Label("Key")
    @Description("What it was submitted to; nothing unless the executor may show keys")
    @Nullable
    String key;

    @Label("Track")
    @Description("The same number for equal keys, and most often another one for others")
    int track;

    @Label("Task")
    @Description("The class of what was submitted")
    @Nullable
    Class<?> task;

    @Label("Text")
    @Description("What the task says of itself; nothing unless the executor may show keys")
    @Nullable
    String text;

    @Label("Queued")
    @Description("Time from the submission to the start")
    @Timespan(Timespan.NANOSECONDS)
    long queued;

    @Label("Outcome")
    @Description("completed, failed, cancelled, retried or parked")
    String outcome = "";
}
