/** The code of docs/guide.md. */
@NullMarked
package io.orderedexecutor.sample.guide;

import org.jspecify.annotations.NullMarked;
