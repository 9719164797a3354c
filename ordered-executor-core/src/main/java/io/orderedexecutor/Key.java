package io.orderedexecutor;

import java.util.Objects;

/**
 * A key in a space of keys: {@code Key.of("orders", 42)} is not {@code Key.of("users", 42)}, and equal to no string or
 * number. Two keys are equal if their spaces and their values are.
 *
 * <p>A key is immutable if its space and its value are. All keys should be immutable; see {@link StripedExecutor} on
 * keys that change.
 *
 * @param space distinguishes kinds of keys
 * @param value distinguishes the keys of a space
 */
public record Key(Object space, Object value) {

    /**
     * A key.
     *
     * @param space distinguishes kinds of keys
     * @param value distinguishes the keys of the space
     * @throws NullPointerException if an argument is null
     */
    public Key {
        Objects.requireNonNull(space, "space");
        Objects.requireNonNull(value, "value");
    }

    /**
     * Returns the key of a value in a space.
     *
     * @param space distinguishes kinds of keys
     * @param value distinguishes the keys of the space
     * @return the key
     * @throws NullPointerException if an argument is null
     */
    public static Key of(Object space, Object value) {
        return new Key(space, value);
    }

    /** Returns the space and the value, as {@code orders/42}. */
    @Override
    public String toString() {
        return space + "/" + value;
    }
}
