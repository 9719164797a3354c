@NullMarked
package io.orderedexecutor.sample.transfers;

import org.jspecify.annotations.NullMarked;
