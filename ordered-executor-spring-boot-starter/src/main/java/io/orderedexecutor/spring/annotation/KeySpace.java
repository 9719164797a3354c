package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Key;

/**
 * The space of the keys of a method. Equal values of different spaces are different keys.
 *
 * @param name the name of the space; empty if the values are used as keys themselves
 */
record KeySpace(String name) {

    /** @throws InvalidOrderedAsyncException if the space is blank, or the method is a barrier */
    static KeySpace of(OrderedAsync annotation, String where) {
        String space = annotation.space();
        if (!space.isEmpty() && space.isBlank()) {
            throw new InvalidOrderedAsyncException(
                    where + ": space is blank", "Name what the keys are of, as in space = \"orders\", or remove it.");
        }
        if (!space.isEmpty() && annotation.barrier()) {
            throw new InvalidOrderedAsyncException(
                    where + " has barrier together with space, but a barrier has the keys of all spaces",
                    "Remove space, or remove barrier.");
        }
        return new KeySpace(space);
    }

    Object keyOf(Object value) {
        return name.isEmpty() ? value : Key.of(name, value);
    }
}
