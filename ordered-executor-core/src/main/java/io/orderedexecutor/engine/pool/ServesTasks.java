package io.orderedexecutor.engine.pool;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;

/**
 * A class whose methods call a task, a listener or a dependent action while the thread has the right to run tasks or
 * outputs. So a thread that is inside a task has such a class on its stack, and one that has none need not look for
 * itself among all the tasks of an executor. Running a task costs nothing for that.
 */
public interface ServesTasks {

    /** Whether the calling thread may be inside a task, of whatever executor; false if it certainly is not. */
    static boolean isOnThisStack() {
        return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.map(StackFrame::getDeclaringClass)
                        // the first frame is that of this method
                        .skip(1)
                        .anyMatch(ServesTasks.class::isAssignableFrom));
    }
}
