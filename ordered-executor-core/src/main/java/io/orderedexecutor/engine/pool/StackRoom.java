package io.orderedexecutor.engine.pool;

/**
 * Asks for stack before something begins that must not stop half-way: a method call fails if there is no stack for it,
 * and then between two writes that belong together.
 */
public final class StackRoom {
    /** More than is nested where it is asked for; frames of compiled code are smaller than others. */
    private static final int FRAMES = 128;

    private StackRoom() {}

    /**
     * Returns if there is stack for some nested calls.
     *
     * @throws StackOverflowError else, and nothing has begun
     */
    public static void require() {
        descend(FRAMES);
    }

    private static int descend(int frames) {
        // not a loop, nor a call at the end that could become one
        return frames == 0 ? 0 : 1 + descend(frames - 1);
    }
}
