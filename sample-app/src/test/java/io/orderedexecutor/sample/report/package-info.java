@NullMarked
package io.orderedexecutor.sample.report;

import org.jspecify.annotations.NullMarked;
