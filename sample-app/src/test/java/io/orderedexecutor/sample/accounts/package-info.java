@NullMarked
package io.orderedexecutor.sample.accounts;

import org.jspecify.annotations.NullMarked;
