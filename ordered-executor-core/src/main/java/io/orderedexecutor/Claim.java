package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * What a task wants of one group: to have it, or to have something below it. These are the intention modes of databases that lock
 * on several levels (Gray et al., "Granularity of Locks in a Large Shared Data Base", 1975).
 *
 * @param key the group; {@link #ROOT} for the root
 * @param hash the spread hash of {@code key}
 * @param rootHash the spread hash of the outermost group, which says in which segment the whole tree is kept
 * @param own whether the group is wanted as a whole
 * @param below whether groups below it are wanted
 */
record Claim(Object key, int hash, int rootHash, Access own, Access below) {

    /** Stands for all groups together. */
    static final Object ROOT = new Object() {
        @Override
        public String toString() {
            return "all groups";
        }
    };

    enum Access {
        NONE,
        SHARED,
        EXCLUSIVE;

        Access and(Access other) {
            return compareTo(other) < 0 ? other : this;
        }
    }

    /** Whether this is a claim on a group that the application has named, and not only on something below it. */
    boolean isForNamedGroup() {
        return own != Access.NONE && Group.isNamed(key);
    }

    /** How this claim meets others on the group as a whole; null if it does not. */
    Place.@Nullable Kind kindInWhole() {
        if (own == Access.EXCLUSIVE || (own == Access.SHARED && below == Access.EXCLUSIVE)) {
            return Place.Kind.ALONE;
        }
        if (own == Access.SHARED) {
            return Place.Kind.READING;
        }
        return below == Access.EXCLUSIVE ? Place.Kind.CHANGING_BELOW : null;
    }

    /** How this claim meets those that only read something below the group; null if it does not. */
    Place.@Nullable Kind kindAmongReadersBelow() {
        if (own == Access.EXCLUSIVE) {
            return Place.Kind.ALONE;
        }
        return own == Access.NONE && below == Access.SHARED ? Place.Kind.READING : null;
    }
}
