package io.orderedexecutor.kafka;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An array as a key: compared by its content, as it was when the key was made. Arrays themselves are equal only to
 * themselves, so they would order nothing, also as an element of a list.
 */
final class ContentKey {
    private final Object array;
    private final int hash;

    private ContentKey(Object array) {
        this.array = array;
        this.hash = Arrays.deepHashCode(new Object[] {array});
    }

    /**
     * Returns what a value is compared by: arrays by their content, at any depth in arrays, lists, sets and maps, and
     * buffers by what is left in them now. Everything else, so also a class or a record with an array in it, has an
     * {@code equals} of its own to be compared by.
     *
     * @return the value itself if there is neither array nor buffer in it
     */
    static Object of(Object value) {
        if (value.getClass().isArray()) {
            return new ContentKey(copied(value));
        }
        if (value instanceof ByteBuffer buffer) {
            // reading from a buffer changes what it is equal to
            return buffer.duplicate();
        }
        if (value instanceof List<?> list) {
            return compared(list, new ArrayList<>(list.size()));
        }
        if (value instanceof Set<?> set) {
            return compared(set, new HashSet<>());
        }
        return value instanceof Map<?, ?> map ? compared(map) : value;
    }

    private static @Nullable Object ofNullable(@Nullable Object value) {
        return value == null ? null : of(value);
    }

    private static Object copied(Object array) {
        if (array instanceof Object[] objects) {
            return Arrays.stream(objects).map(ContentKey::ofNullable).toArray();
        }
        int length = Array.getLength(array);
        Object copy = Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, 0, copy, 0, length);
        return copy;
    }

    private static Object compared(Collection<?> original, Collection<@Nullable Object> copy) {
        boolean isOther = false;
        for (Object each : original) {
            Object key = ofNullable(each);
            isOther |= key != each;
            copy.add(key);
        }
        return isOther ? copy : original;
    }

    private static Object compared(Map<?, ?> original) {
        Map<@Nullable Object, @Nullable Object> copy = new HashMap<>();
        boolean isOther = false;
        for (Map.Entry<?, ?> each : original.entrySet()) {
            Object key = ofNullable(each.getKey());
            Object value = ofNullable(each.getValue());
            isOther |= key != each.getKey() || value != each.getValue();
            copy.put(key, value);
        }
        return isOther ? copy : original;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ContentKey that && hash == that.hash && Objects.deepEquals(array, that.array);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return array.getClass().getComponentType() + "[" + Array.getLength(array) + "]#" + Integer.toHexString(hash);
    }
}
