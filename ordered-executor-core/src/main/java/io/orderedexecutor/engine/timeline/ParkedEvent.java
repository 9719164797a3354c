package io.orderedexecutor.engine.timeline;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A task that has failed and has stopped its key. */
@Name("io.orderedexecutor.Parked")
@Label("Parked")
@Category("Ordered Executors")
@Description("A task has failed and waits to be resumed or skipped")
@Enabled(false)
@StackTrace(false)
final class ParkedEvent extends Event {
    @Label("Executor")
    String executor = "";

    @Label("Key")
    @Nullable
    String key;

    @Label("Track")
    int track;

    @Label("Failure")
    @Description("The class of what the task has thrown")
    @Nullable
    Class<?> failure;
}
