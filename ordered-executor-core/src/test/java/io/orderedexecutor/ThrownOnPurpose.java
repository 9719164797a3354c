package io.orderedexecutor;

/** What tasks throw in a test. */
final class ThrownOnPurpose extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Keeps the default handler of all threads from printing thousands of these. */
    static void keepQuiet() {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            if (!(failure instanceof ThrownOnPurpose)) {
                System.err.print("Exception in thread \"" + thread.getName() + "\" ");
                failure.printStackTrace();
            }
        });
    }

    ThrownOnPurpose() {
        super("thrown by the test", null, false, false);
    }
}
