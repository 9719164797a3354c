package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.Groups;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * The expressions for the groups of a call: its exclusive groups, its shared groups, or both. A barrier needs no
 * expression.
 *
 * @param exclusive finds the exclusive groups; null if there are none
 * @param shared finds the shared groups; null if there are none
 * @param space the space of all groups
 */
record GroupsExpression(
        @Nullable KeyExpression exclusive, @Nullable KeyExpression shared, KeySpace space) {

    /**
     * Evaluates the expressions for one call.
     *
     * @throws IllegalArgumentException if a value is null, empty or has an element that is null, or cannot be evaluated
     */
    Groups evaluate(@Nullable Object[] arguments) {
        if (exclusive == null && shared == null) {
            return Groups.all();
        }
        Object[] owned = exclusive == null ? null : groupsOf(exclusive, arguments);
        Object[] read = shared == null ? new Object[0] : groupsOf(shared, arguments);
        return owned == null ? Groups.shared(read) : Groups.exclusive(owned).andShared(read);
    }

    /** The declared types of the keys, as far as they are known before there is a call. */
    Set<Class<?>> keyTypes() {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (KeyExpression expression : new @Nullable KeyExpression[] {exclusive, shared}) {
            if (expression != null) {
                types.addAll(expression.keyTypes());
            }
        }
        return types;
    }

    /**
     * Evaluates an expression to groups. If its value is a collection or an array, each element is one group, whatever
     * the element is. Any other value is one group.
     */
    private Object[] groupsOf(KeyExpression expression, @Nullable Object[] arguments) {
        Object value = expression.evaluate(arguments);
        @Nullable Object[] groups = elementsOf(value);
        if (groups.length == 0) {
            throw expression.wrong("empty for this call; without a group, the call has no place in the order");
        }
        for (int i = 0; i < groups.length; i++) {
            if (groups[i] == null) {
                throw expression.wrong("incomplete for this call: element " + i + " of " + groups.length + " is null");
            }
            if (groups[i] instanceof Groups) {
                throw expression.wrong("an instance of " + Groups.class.getName()
                        + " for this call, which would be taken for one group; name the groups themselves");
            }
            groups[i] = space.keyOf(groups[i]);
        }
        return groups;
    }

    private static @Nullable Object[] elementsOf(Object value) {
        if (value instanceof Collection<?> collection) {
            return collection.toArray();
        }
        return value instanceof Object[] array
                ? array.clone()
                : value.getClass().isArray() ? ObjectUtils.toObjectArray(value) : new Object[] {value};
    }
}
