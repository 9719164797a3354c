package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/** Tells which monitors and locks a platform thread holds. */
final class HeldLocks {
    private final List<ReentrantLock> locks = new CopyOnWriteArrayList<>();

    /**
     * Finds the locks of an executor, in whatever parts they are: the JVM would look for those that are held in the
     * whole heap.
     */
    StripedExecutor watch(StripedExecutor executor) {
        int before = locks.size();
        find(executor.engine(), new HashSet<>());
        assertThat(locks).hasSizeGreaterThan(before);
        return executor;
    }

    private void find(Object part, Set<Integer> seen) {
        if (part instanceof ReentrantLock lock) {
            locks.add(lock);
        } else if (part != null
                && part.getClass().getName().startsWith("io.orderedexecutor.")
                && seen.add(System.identityHashCode(part))) {
            for (Class<?> type = part.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())
                            && !field.getType().isPrimitive()) {
                        find(valueOf(field, part), seen);
                    }
                }
            }
        }
    }

    private static Object valueOf(Field field, Object part) {
        try {
            field.setAccessible(true);
            return field.get(part);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // of a class of the JDK, of which one of ours is made
        }
    }

    /** What the current thread holds: any monitor, or a lock of an executor that is watched. */
    List<String> heldHere() {
        ThreadInfo self = ManagementFactory.getThreadMXBean()
                .getThreadInfo(new long[] {Thread.currentThread().getId()}, true, false)[0];
        List<String> held = new ArrayList<>(of(self));
        locks.stream()
                .filter(ReentrantLock::isHeldByCurrentThread)
                .map(Object::toString)
                .forEach(held::add);
        return held;
    }

    static List<String> of(ThreadInfo thread) {
        List<LockInfo> held = new ArrayList<>(Arrays.asList(thread.getLockedMonitors()));
        held.addAll(Arrays.asList(thread.getLockedSynchronizers()));
        return held.stream().map(LockInfo::getClassName).toList();
    }
}
