/** A chat with a slow model: what happens to messages that come while it still answers. */
@NullMarked
package io.orderedexecutor.sample.chat;

import org.jspecify.annotations.NullMarked;
