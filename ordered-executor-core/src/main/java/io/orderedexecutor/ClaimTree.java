package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Works out what has to be claimed to have some groups: these groups, and what they are in. */
final class ClaimTree {

    private static final class Node {
        final Object key;
        final int hash;
        final int rootHash;
        Claim.Access own = Claim.Access.NONE;
        Claim.Access below = Claim.Access.NONE;

        Node(Object key, int hash, int rootHash) {
            this.key = key;
            this.hash = hash;
            this.rootHash = rootHash;
        }

        Claim claim(Claim.Access belowRoot, @Nullable Claim next) {
            return new Claim(key, hash, rootHash, own, below, belowRoot, next);
        }

        int segment() {
            return SegmentedTable.segmentOf(rootHash);
        }
    }

    private final Map<Integer, Node> roots = new LinkedHashMap<>();
    private final Map<Object, Node> nodes = new LinkedHashMap<>();

    private ClaimTree() {}

    /**
     * The first of the claims on some groups, which are in the order of their segments, each behind those on the groups
     * above it.
     */
    static Claim claims(Map<Object, Claim.Access> wanted) {
        ClaimTree tree = new ClaimTree();
        wanted.forEach(tree::want);
        List<Node> all = new ArrayList<>(tree.roots.values());
        // what is wanted below the root only is said by the first claim there
        all.removeIf(root -> root.own == Claim.Access.NONE);
        all.addAll(tree.nodes.values());
        all.sort(Comparator.comparingInt(Node::segment));
        Claim claims = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            Node node = all.get(i);
            boolean isFirst = i == 0 || all.get(i - 1).segment() != node.segment();
            claims = node.claim(isFirst ? tree.belowRoot(node) : Claim.Access.NONE, claims);
        }
        return Objects.requireNonNull(claims);
    }

    private Claim.Access belowRoot(Node first) {
        return first.key == Claim.ROOT ? Claim.Access.NONE : root(first.rootHash).below;
    }

    /** As {@link #claims}, for one group that is not in another. */
    static Claim claim(Object key, Claim.Access access) {
        int hash = hashOf(key);
        return Claim.only(key, hash, hash, access);
    }

    private void want(Object key, Claim.Access access) {
        if (key == Claim.ROOT) {
            for (int segment = 0; segment < SegmentedTable.SEGMENTS; segment++) {
                Node root = root(segment << 26);
                root.own = root.own.and(access);
            }
            return;
        }
        List<Object> elements = key instanceof GroupPath path ? path.elements() : List.of(key);
        int rootHash = hashOf(elements.get(0));
        Node node = root(rootHash);
        for (int length = 1; length <= elements.size(); length++) {
            node.below = node.below.and(access);
            Object prefix = length == elements.size() ? key : ((GroupPath) key).prefix(length);
            node = nodes.computeIfAbsent(prefix, group -> new Node(group, hashOf(group), rootHash));
        }
        node.own = node.own.and(access);
    }

    private Node root(int rootHash) {
        return roots.computeIfAbsent(SegmentedTable.segmentOf(rootHash), segment -> new Node(Claim.ROOT, 0, rootHash));
    }

    private static int hashOf(Object group) {
        return SegmentedTable.spread(group.hashCode());
    }
}
