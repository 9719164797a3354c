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
 * An array as a key, compared by the content that the array had when the key was made. An array itself is equal only to
 * itself. So as a key, or as an element of a key, an array would put no records in order.
 */
final class ContentKey {
    private final Object array;
    private final int hash;

    private ContentKey(Object array) {
        this.array = array;
        this.hash = Arrays.deepHashCode(new Object[] {array});
    }

    /**
     * Returns a key that compares a value by its content: arrays, at any depth in arrays, lists, sets and maps, by
     * their elements, and buffers by their remaining bytes at this time. All other values, even those with arrays in
     * their fields, are compared by their own {@code equals}.
     *
     * @return the value itself if there is neither array nor buffer in it
     */
    static Object of(Object value) {
        if (value.getClass().isArray()) {
            return new ContentKey(copied(value));
        }
        if (value instanceof ByteBuffer buffer) {
            // a read changes the position of a buffer, and so its equality
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
