package io.orderedexecutor;

import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** An {@link OrderedTask} that can be submitted as a {@link Callable} too, and asks the test what to say of another. */
final class Peer implements OrderedTask, Callable<String> {
    final String name;
    private final Runnable body;
    private final Predicate<Peer> compatible;
    private final Object compatibilityClass;

    Peer(String name, Runnable body, Predicate<Peer> compatible) {
        this(name, body, compatible, null);
    }

    Peer(String name, Runnable body, Predicate<Peer> compatible, Object compatibilityClass) {
        this.name = name;
        this.body = body;
        this.compatible = compatible;
        this.compatibilityClass = compatibilityClass;
    }

    @Override
    public boolean isCompatible(OrderedTask that) {
        return compatible.test((Peer) that);
    }

    @Override
    public Object compatibilityClass() {
        return compatibilityClass;
    }

    @Override
    public void run() {
        body.run();
    }

    @Override
    public String call() {
        body.run();
        return name;
    }
}
