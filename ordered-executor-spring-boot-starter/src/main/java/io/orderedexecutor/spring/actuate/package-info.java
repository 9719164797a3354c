/** What can be seen of ordered executors from outside: their meters and their actuator endpoint. */
@NullMarked
package io.orderedexecutor.spring.actuate;

import org.jspecify.annotations.NullMarked;
