package io.orderedexecutor.engine.timeline;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A submission that was rejected; its stack trace tells whose. */
@Name("io.orderedexecutor.Rejected")
@Label("Rejected")
@Category("Ordered Executors")
@Description("A submission that was rejected")
@Enabled(false)
@StackTrace
final class RejectedEvent extends Event {
    @Label("Executor")
    String executor = "";

    @Label("Key")
    @Nullable
    String key;

    @Label("Track")
    int track;

    @Label("Reason")
    @Description("The class of what the submitter got")
    @Nullable
    Class<?> reason;
}
