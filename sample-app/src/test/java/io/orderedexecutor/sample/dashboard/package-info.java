/** The dashboard and the alerts of docs/, compared with what the application really measures. */
@NullMarked
package io.orderedexecutor.sample.dashboard;

import org.jspecify.annotations.NullMarked;
