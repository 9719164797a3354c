/** The code of docs/migrating.md: ways to keep order that an application may have, and the same with this library. */
@NullMarked
package io.orderedexecutor.sample.migrating;

import org.jspecify.annotations.NullMarked;
