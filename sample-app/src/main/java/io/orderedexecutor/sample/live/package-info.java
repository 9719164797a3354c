/**
 * A page that shows what the executors do while they do it: {@code http://localhost:8080} in a browser. Its buttons
 * send steps to the scenes; what happens to the steps goes into the journal, and from there to all browsers that look.
 */
@NullMarked
package io.orderedexecutor.sample.live;

import org.jspecify.annotations.NullMarked;
