package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** An output that remembers what is written and by whom, and that two writes have overlapped. */
final class Written<T> implements Consumer<T> {
    private final Consumer<? super T> then;
    private final AtomicReference<Thread> inside = new AtomicReference<>();

    /**
     * Guarded by the exclusion of outputs, which is what is tested; so a broken one may lose some, and is then told of.
     */
    private final List<T> written = new ArrayList<>();

    private final List<Thread> writers = new ArrayList<>();
    private volatile int count;
    private volatile String overlap;

    Written() {
        this(result -> {});
    }

    /** Something else is done with each result, too. */
    Written(Consumer<? super T> then) {
        this.then = then;
    }

    @Override
    public void accept(T result) {
        Thread other = inside.getAndSet(Thread.currentThread());
        if (other != null) {
            overlap = result + " was written on " + Thread.currentThread() + " while " + other + " wrote";
        }
        written.add(result);
        writers.add(Thread.currentThread());
        count = written.size();
        try {
            then.accept(result);
        } finally {
            inside.set(null);
        }
    }

    int count() {
        return count;
    }

    List<T> all() {
        assertThat(overlap).as("outputs that overlap").isNull();
        return List.copyOf(written);
    }

    /** What was written, which may be null. */
    Collection<T> allAndNulls() {
        return new ArrayList<>(written);
    }

    List<Thread> writers() {
        return List.copyOf(writers);
    }

    /** Asserts that 0, 1, 2 ... were written, each once and in order. */
    static void assertCounted(Written<Integer> output, int count) {
        assertThat(output.all()).isEqualTo(IntStream.range(0, count).boxed().toList());
    }
}
