package io.orderedexecutor.spring.actuate;

import org.springframework.boot.actuate.endpoint.SanitizableData;

/** A stripe or a group as it is shown. */
final class ShownKey {

    private ShownKey() {}

    /**
     * @param show whether to show the key; if not, it is masked
     */
    static String of(Object key, boolean show) {
        return show ? textOf(key) : SanitizableData.SANITIZED_VALUE;
    }

    /** The key's own code may fail; what is left to see then is more useful than an error. */
    private static String textOf(Object key) {
        try {
            return String.valueOf(key);
        } catch (RuntimeException | StackOverflowError e) {
            return "<" + key.getClass().getName() + ", whose toString() throws "
                    + e.getClass().getName() + ">";
        }
    }
}
