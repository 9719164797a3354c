package io.orderedexecutor;

/**
 * What watched tasks throw: each kind of throwable, and each says whose it is. Without stack traces, as there are many.
 */
interface TaskFault {

    WatchedTask task();

    enum Kind {
        CHECKED,
        UNCHECKED,
        ERROR;

        Throwable of(WatchedTask task) {
            return switch (this) {
                case CHECKED -> new Checked(task);
                case UNCHECKED -> new Unchecked(task);
                case ERROR -> new Fatal(task);
            };
        }
    }

    /** Throws anything from anywhere, as code of other languages does. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
    static <X extends Throwable, R> R throwAnyway(Throwable failure) throws X {
        throw (X) failure;
    }

    final class Checked extends Exception implements TaskFault {
        private static final long serialVersionUID = 1;
        private final transient WatchedTask task;

        Checked(WatchedTask task) {
            super("checked exception of the test", null, false, false);
            this.task = task;
        }

        @Override
        public WatchedTask task() {
            return task;
        }
    }

    final class Unchecked extends RuntimeException implements TaskFault {
        private static final long serialVersionUID = 1;
        private final transient WatchedTask task;

        Unchecked(WatchedTask task) {
            super("exception of the test", null, false, false);
            this.task = task;
        }

        @Override
        public WatchedTask task() {
            return task;
        }
    }

    final class Fatal extends Error implements TaskFault {
        private static final long serialVersionUID = 1;
        private final transient WatchedTask task;

        Fatal(WatchedTask task) {
            super("error of the test", null, false, false);
            this.task = task;
        }

        @Override
        public WatchedTask task() {
            return task;
        }
    }
}
