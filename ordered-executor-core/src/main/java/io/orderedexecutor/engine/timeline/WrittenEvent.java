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

/** A result that was written to an ordered output. */
@Name("io.orderedexecutor.Written")
@Label("Written")
@Category("Ordered Executors")
@Description("A result was written to an ordered output")
@Enabled(false)
@StackTrace(false)
final class WrittenEvent extends Event {
    @Label("Executor")
    String executor = "";

    @Label("Output")
    @Nullable
    String key;

    @Label("Track")
    int track;

    @Label("Waited")
    @Description("Time from the end of the work to the beginning of the output")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Time of the output")
    @Timespan(Timespan.NANOSECONDS)
    long written;
}
