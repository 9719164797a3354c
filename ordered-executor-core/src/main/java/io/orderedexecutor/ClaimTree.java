package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Works out what has to be claimed to have some groups: these groups, what they are in, and a part of the root for each tree. */
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

        Claim claim() {
            return new Claim(key, hash, rootHash, own, below);
        }

        int segment() {
            return SegmentedTable.segmentOf(rootHash);
        }
    }

    private final Map<Integer, Node> roots = new LinkedHashMap<>();
    private final Map<Object, Node> nodes = new LinkedHashMap<>();

    private ClaimTree() {}

    /** The claims on some groups, in the order of their segments, each behind those on the groups above it. */
    static List<Claim> claims(Map<Object, Claim.Access> wanted) {
        ClaimTree tree = new ClaimTree();
        wanted.forEach(tree::want);
        List<Node> all = new ArrayList<>(tree.roots.values());
        all.addAll(tree.nodes.values());
        all.sort(Comparator.comparingInt(Node::segment));
        return all.stream().map(Node::claim).toList();
    }

    /** As {@link #claims}, for one group that is not in another. */
    static List<Claim> claims(Object key, Claim.Access access) {
        int hash = hashOf(key);
        return List.of(
                new Claim(Claim.ROOT, 0, hash, Claim.Access.NONE, access),
                new Claim(key, hash, hash, access, Claim.Access.NONE));
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
