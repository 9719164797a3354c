package io.orderedexecutor.benchmarks;

import org.openjdk.jmh.infra.Blackhole;

/**
 * The tasks that one producer submits for one key. They have consecutive numbers, which the lane compares while they
 * run, with plain fields: an executor that keeps the order also publishes what one task did to the next.
 */
abstract class Lane {
    final Ledger ledger;

    /** How much each task works. */
    final int tokens;

    Lane(Ledger ledger, int tokens) {
        this.ledger = ledger;
        this.tokens = tokens;
    }

    abstract void enter(int turn);

    abstract void leave(int turn);

    /** Before and after the work of a task that shares the key, behind so many that have it exclusively. */
    abstract void share(int turn);

    /** What a task does that has nothing else to do. */
    final void work() {
        if (tokens > 0) {
            Blackhole.consumeCPU(tokens);
        }
    }

    /** For subjects that promise an order. */
    static final class Ordered extends Lane {
        private static final int ENTERED = -1;

        private int next;

        Ordered(Ledger ledger, int tokens) {
            super(ledger, tokens);
        }

        @Override
        void enter(int turn) {
            // one that is still inside has left ENTERED here
            if (next != turn) {
                ledger.outOfOrder();
            }
            next = ENTERED;
        }

        @Override
        void leave(int turn) {
            next = turn + 1;
        }

        @Override
        void share(int turn) {
            if (next != turn) {
                ledger.outOfOrder();
            }
        }
    }

    /**
     * For the unordered limits. The lane is read, as the others read theirs, and never written: two tasks of one key
     * would fight for the cache line, and the limit would not be one.
     */
    static final class Unordered extends Lane {
        private final int never;

        Unordered(Ledger ledger, int tokens) {
            super(ledger, tokens);
            this.never = -1;
        }

        @Override
        void enter(int turn) {
            if (turn == never) {
                ledger.outOfOrder();
            }
        }

        @Override
        void leave(int turn) {}

        @Override
        void share(int turn) {
            enter(turn);
        }
    }
}
