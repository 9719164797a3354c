package io.orderedexecutor.spring.autoconfigure;

import java.util.List;

/** Finds keys by their text. Separate from {@link ManagedExecutor}, which must not depend on the actuator. */
final class KeyLookup {

    private KeyLookup() {}

    /**
     * Finds a key.
     *
     * @throws Refusal if no key with tasks has this text, or several keys have it
     */
    static Object find(ManagedExecutor managed, String text) {
        if (managed.hasKey(text)) {
            return text;
        }
        List<Object> found =
                managed.liveKeys().filter(key -> Shown.textOf(key).equals(text)).toList();
        if (found.isEmpty()) {
            throw Refusal.notFound("No " + managed.key() + " of '" + managed.name()
                    + "' that has tasks, or is paused, has the text '" + text + "'; keys without tasks do not exist");
        }
        if (found.size() > 1) {
            throw Refusal.conflict(found.size() + " " + managed.keys() + " of '" + managed.name() + "' are '" + text
                    + "' as text; give their class a toString() that tells them apart");
        }
        return found.get(0);
    }
}
