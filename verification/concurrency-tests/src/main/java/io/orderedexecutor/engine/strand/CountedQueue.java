package io.orderedexecutor.engine.strand;

/** The queue below all ordering, and nothing else. */
final class CountedQueue extends LinkQueue {

    CountedQueue(Runnable first) {
        super(new Link(first));
    }
}
