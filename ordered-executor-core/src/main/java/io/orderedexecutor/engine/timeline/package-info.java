/**
 * Not API: what happens to tasks, as events of the JDK's Flight Recorder. {@link Timeline} hears of it as any listener
 * does, so an executor that is built without it has nothing of it. Uses nothing of the engine.
 */
@NullMarked
package io.orderedexecutor.engine.timeline;

import org.jspecify.annotations.NullMarked;
