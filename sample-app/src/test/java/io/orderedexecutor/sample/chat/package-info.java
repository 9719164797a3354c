@NullMarked
package io.orderedexecutor.sample.chat;

import org.jspecify.annotations.NullMarked;
