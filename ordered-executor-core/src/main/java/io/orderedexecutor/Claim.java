package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * What a task wants of one group: to have it, or to have something below it. These are the intention modes of databases
 * that lock on several levels (Gray et al., "Granularity of Locks in a Large Shared Data Base", 1975).
 *
 * <p>Every group is below the root. So a task with claims in a segment has one on its part of the root, too: the first
 * of them says so.
 *
 * @param key the group; {@link #ROOT} for the root
 * @param hash the spread hash of {@code key}
 * @param rootHash the spread hash of the outermost group, which says in which segment the whole tree is kept
 * @param own whether the group is wanted as a whole
 * @param below whether groups below it are wanted
 * @param belowRoot what all claims of this segment want below the root; {@link Access#NONE} if that was said before
 * @param next the task's next claim, in the same segment or a later one; null if there is none
 */
record Claim(
        Object key,
        int hash,
        int rootHash,
        Access own,
        Access below,
        Access belowRoot,
        @Nullable Claim next) {

    /** Stands for all groups together. */
    static final Object ROOT = new Object() {
        @Override
        public String toString() {
            return "all groups";
        }
    };

    /** The claim on something below the root and nothing else, if it has to wait in a place. */
    static final Claim READING_BELOW_ROOT = ofRoot(Access.SHARED);

    static final Claim CHANGING_BELOW_ROOT = ofRoot(Access.EXCLUSIVE);

    private static Claim ofRoot(Access below) {
        return new Claim(ROOT, 0, 0, Access.NONE, below, Access.NONE, null);
    }

    /** The only claim of a task, on a group that is in no other. */
    static Claim only(Object key, int hash, int rootHash, Access own) {
        return new Claim(key, hash, rootHash, own, Access.NONE, own, null);
    }

    enum Access {
        NONE,
        SHARED,
        EXCLUSIVE;

        Access and(Access other) {
            return compareTo(other) < 0 ? other : this;
        }
    }

    /** Whether a task with this first claim wants nothing else than one group, exclusively. */
    boolean isForOneExclusively() {
        return next == null && own == Access.EXCLUSIVE && belowRoot == Access.EXCLUSIVE;
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
