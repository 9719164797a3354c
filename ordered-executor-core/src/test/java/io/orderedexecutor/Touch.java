package io.orderedexecutor;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a task touches, and by the plainest definition who conflicts with whom: each pair of wants is looked at.
 *
 * @param wants the groups; a barrier wants the empty path
 * @param peer what an {@link OrderedTask} says of others; null if the task is none
 */
record Touch(List<Want> wants, Peer peer) {

    /** Two in one segment, one in the segment in which {@link OrderedTask}s are, and one elsewhere. */
    private static final int[] TREES = {0, 1, neighbourOf(1), 2};

    /** A group and its mode; the group of no elements is all groups. */
    record Want(List<Integer> path, boolean exclusive) {
        boolean conflictsWith(Want that) {
            boolean related = true;
            for (int i = 0; i < Math.min(path.size(), that.path.size()); i++) {
                related &= path.get(i).equals(that.path.get(i));
            }
            return related && (exclusive || that.exclusive);
        }

        Object group() {
            Object[] further = path.subList(1, path.size()).toArray();
            return further.length == 0 ? path.get(0) : GroupPath.of(path.get(0), further);
        }
    }

    /**
     * What decides about two tasks without groups.
     *
     * @param kind what others look at
     * @param tolerated the kinds that this one does not mind, as bits
     * @param compatibilityClass null if it may conflict with any other
     */
    record Peer(int kind, int tolerated, Integer compatibilityClass) {
        boolean tolerates(Peer that) {
            return (tolerated >> that.kind & 1) != 0;
        }

        boolean isAskedAbout(Peer that) {
            return compatibilityClass == null
                    || that.compatibilityClass == null
                    || compatibilityClass.equals(that.compatibilityClass);
        }

        boolean conflictsWith(Peer that) {
            return isAskedAbout(that) && !(tolerates(that) && that.tolerates(this));
        }
    }

    boolean conflictsWith(Touch that) {
        if (isBarrier() || that.isBarrier()) {
            return true;
        }
        if (peer != null && that.peer != null) {
            return peer.conflictsWith(that.peer);
        }
        for (Want want : wants) {
            for (Want other : that.wants) {
                if (want.conflictsWith(other)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Those that want all groups want them first. */
    private boolean isBarrier() {
        return !wants.isEmpty() && wants.get(0).exclusive && wants.get(0).path.isEmpty();
    }

    /** The same for the executor. */
    Groups groups() {
        Groups groups = null;
        for (Want want : wants) {
            groups = groups == null ? first(want) : more(groups, want);
        }
        return groups;
    }

    private static Groups first(Want want) {
        if (want.path.isEmpty()) {
            return want.exclusive ? Groups.all() : Groups.allShared();
        }
        return want.exclusive ? Groups.exclusive(want.group()) : Groups.shared(want.group());
    }

    private static Groups more(Groups groups, Want want) {
        return want.exclusive ? groups.andExclusive(want.group()) : groups.andShared(want.group());
    }

    // at random

    /** @param rootsIn1000 how many of a thousand want all groups */
    static Touch random(SplittableRandom random, int rootsIn1000) {
        if (random.nextInt(1000) < rootsIn1000) {
            List<Want> wants = new ArrayList<>(List.of(new Want(List.of(), random.nextBoolean())));
            if (random.nextInt(3) == 0) {
                wants.add(randomWant(random));
            }
            return new Touch(wants, null);
        }
        int shape = random.nextInt(100);
        if (shape < 8) {
            return new Touch(List.of(), null);
        }
        if (shape < 35) {
            Integer compatibilityClass = random.nextInt(3) == 0 ? null : random.nextInt(2);
            return new Touch(List.of(), new Peer(random.nextInt(4), random.nextInt(16), compatibilityClass));
        }
        List<Want> wants = new ArrayList<>();
        int count = shape < 65 ? 1 : 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            wants.add(randomWant(random));
        }
        return new Touch(wants, null);
    }

    private static Want randomWant(SplittableRandom random) {
        List<Integer> path = new ArrayList<>(List.of(TREES[random.nextInt(TREES.length)]));
        for (int more = random.nextInt(3); more > 0; more--) {
            path.add(random.nextInt(2));
        }
        return new Want(path, random.nextBoolean());
    }

    private static int neighbourOf(int tree) {
        int other = tree + 2;
        while (segmentOf(other) != segmentOf(tree)) {
            other++;
        }
        return other;
    }

    private static int segmentOf(int tree) {
        return SegmentedTable.segmentOf(SegmentedTable.spread(Integer.hashCode(tree)));
    }
}
