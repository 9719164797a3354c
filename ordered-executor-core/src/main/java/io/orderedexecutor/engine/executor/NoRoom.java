package io.orderedexecutor.engine.executor;

/**
 * Where a submission has found no room.
 *
 * @param isInExecutor whether it is the executor as a whole
 * @param keyHash else, the hash of the key
 */
record NoRoom(boolean isInExecutor, int keyHash) {
    static final NoRoom IN_EXECUTOR = new NoRoom(true, 0);

    static NoRoom inKey(int keyHash) {
        return new NoRoom(false, keyHash);
    }
}
