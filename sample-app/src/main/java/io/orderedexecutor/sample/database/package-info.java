/** What stands for a slow system in this sample. */
@NullMarked
package io.orderedexecutor.sample.database;

import org.jspecify.annotations.NullMarked;
