package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutputBuilder;
import io.orderedexecutor.OutputFailure;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an ordered output is opened; see {@link OrderedOutputBuilder} for what each setting means.
 *
 * @param name null for a number
 * @param consumer gets the results
 * @param <T> the type of the results
 */
public record OutputSettings<T extends @Nullable Object>(
        @Nullable String name, Consumer<? super T> consumer, int window, int concurrency, OutputFailure<T> onFailure) {}
