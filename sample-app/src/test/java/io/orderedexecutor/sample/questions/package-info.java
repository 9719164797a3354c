/** The code of docs/questions.md. */
@NullMarked
package io.orderedexecutor.sample.questions;

import org.jspecify.annotations.NullMarked;
