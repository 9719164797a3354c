package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the application's keys and tasks do while they are asked something: throw, block, call the executor. */
class GroupedForeignCodeTest {

    /** A key of which all are in one bin, with something to do when it is compared, hashed or printed. */
    static final class Key implements OrderedTask {
        private final int number;
        private final Runnable deed;

        Key(int number, Runnable deed) {
            this.number = number;
            this.deed = deed;
        }

        @Override
        public boolean equals(Object other) {
            deed.run();
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            deed.run();
            return 7;
        }

        @Override
        public String toString() {
            deed.run();
            return "key " + number;
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            deed.run();
            return true;
        }

        @Override
        public Object compatibilityClass() {
            return this;
        }

        @Override
        public void run() {
            deed.run();
        }
    }

    private static Key quiet(int number) {
        return new Key(number, () -> {});
    }

    /** A key that equals those whose numbers are a little less or more. */
    private record Vague(int number, int below, int above) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Vague key && key.number >= number - below && key.number <= number + above;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    private static final class OfClass implements OrderedTask {
        private final Key compatibilityClass;

        OfClass(Key compatibilityClass) {
            this.compatibilityClass = compatibilityClass;
        }

        @Override
        public boolean isCompatible(OrderedTask that) {
            return false;
        }

        @Override
        public Object compatibilityClass() {
            return compatibilityClass;
        }

        @Override
        public void run() {}
    }

    private final SteppedGroups groups = new SteppedGroups(settings -> settings.failurePolicy(FailurePolicy.park()));
    private final GroupedExecutor executor = groups.executor;

    /** The same key as {@code quiet(1)}, under whose search the bins are rebuilt, which turns the way round. */
    private Key whoseSearchIsDisturbed() {
        AtomicInteger calls = new AtomicInteger();
        return new Key(1, () -> {
            // the first call is for the hash code
            if (calls.incrementAndGet() == 2) {
                for (int i = 0; i < 20; i++) {
                    groups.execute(Groups.exclusive(quiet(100 + i)), "other");
                }
            }
        });
    }

    private boolean isIdle(Key key) {
        try {
            return executor.control().awaitIdle(key, Duration.ZERO);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    enum Search {
        SNAPSHOT,
        IDLE,
        RESUME,
        RESUME_PARKED,
        SKIP;

        boolean finds(GroupedForeignCodeTest test, Key key) {
            return switch (this) {
                case SNAPSHOT -> test.executor.inspect().snapshot(key).isPresent();
                case IDLE -> !test.isIdle(key);
                case RESUME, RESUME_PARKED -> test.executor.control().resume(key);
                case SKIP -> test.executor.control().skip(key);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a paused or parked group is found even if the table is rebuilt under the search")
    void aSearchThatLosesItsWay(Search search) {
        Groups group = Groups.exclusive(quiet(1));
        if (search == Search.RESUME) {
            executor.control().pause(quiet(1));
            groups.execute(group, "paused");
        } else {
            groups.failing(group, "parked", 1);
        }
        groups.run();
        // something behind which the search has to go on
        groups.execute(Groups.exclusive(quiet(2)), "before");
        assertThat(search.finds(this, whoseSearchIsDisturbed())).isTrue();
        groups.run();
        if (search == Search.SNAPSHOT || search == Search.IDLE) {
            assertThat(executor.control().resume(quiet(1))).isTrue();
            groups.run();
        }
        boolean skips = search == Search.SKIP;
        groups.assertAllEnded(skips ? 21 : 22, skips ? 1 : 0, 0);
    }

    /** Calls whatever may take a lock, on another thread, and waits for it. */
    private static Runnable callsBack(GroupedExecutor executor) {
        AtomicBoolean inside = new AtomicBoolean();
        return () -> {
            // what the other thread does calls the same code
            if (!inside.compareAndSet(false, true)) {
                return;
            }
            Thread other = new Thread(() -> {
                if (!executor.isShutdown()) {
                    executor.submit(Groups.all(), () -> 1).cancel(false);
                }
                executor.inspect().stats();
                executor.inspect().deepestKeys(9);
                executor.inspect().queuedTasks(9);
                executor.inspect().runningTasks();
                executor.control().pause("x");
                executor.control().resume("x");
                executor.control().skip("x");
            });
            other.setDaemon(true);
            other.start();
            Patience.join(other);
            inside.set(false);
        };
    }

    @Test
    @DisplayName("no key, predicate, listener or dependent action is called under a lock that others need")
    void nothingIsCalledUnderALock() {
        Runnable[] itself = new Runnable[1];
        SteppedExecutor steps = new SteppedExecutor();
        AtomicInteger ran = new AtomicInteger();
        HeardTasks listener = new HeardTasks() {
            @Override
            public void onEvent(Event event) {
                itself[0].run();
            }
        };
        GroupedExecutor calling = GroupedExecutor.builder()
                .executor(steps)
                .keyCapacity(3)
                .overflow(Overflow.discardOldest())
                .failurePolicy(FailurePolicy.park())
                .listener(listener)
                .build();
        Runnable deed = callsBack(calling);
        itself[0] = deed;
        for (int i = 0; i < 4; i++) {
            calling.execute(Groups.exclusive(new Key(1, deed), new Key(2, deed)), () -> ran.incrementAndGet());
            calling.execute(Groups.within(new Key(1, deed), new Key(3, deed)), ran::incrementAndGet);
            calling.execute(new Key(4, deed));
            calling.execute(new Key(5, deed));
        }
        assertThat(calling.inspect().queuedTasks(99).toString()).contains("key 1");
        assertThat(calling.inspect().deepestKeys(99).toString()).contains("key 2");
        CompletableFuture<Integer> parked = calling.submit(Groups.exclusive(new Key(7, deed)), () -> {
            throw new ThrownOnPurpose();
        });
        parked.whenComplete((result, failure) -> deed.run());
        steps.runAll();
        assertThat(calling.inspect().parkedTasks().toString()).contains("key 7");
        assertThat(calling.inspect().snapshot(new Key(7, deed))).isPresent();
        calling.control().pause(new Key(8, deed));
        assertThat(calling.control().resume(new Key(8, deed))).isTrue();
        calling.shutdown();
        steps.runAll();
        assertThat(calling.isTerminated()).isTrue();
        assertThat(parked).isCompletedExceptionally();
        assertThat(ran).hasValue(6);
        assertThat(listener.all().stream().filter(event -> event.kind().isEnd()))
                .hasSize(Math.toIntExact(listener.count(HeardTasks.Kind.QUEUED)));
    }

    @Test
    @DisplayName("a key or class that throws is refused with what it threw, and leaves nothing behind")
    void keysThatThrow() {
        IllegalStateException thrown = new IllegalStateException("by the key");
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        Key throwing = new Key(1, () -> {
            if (left.getAndDecrement() <= 0) {
                left.set(Integer.MAX_VALUE);
                throw thrown;
            }
        });
        groups.execute(Groups.exclusive(quiet(0)), "before");
        int failures = 0;
        for (int calls = 0; calls < 20; calls++) {
            left.set(calls);
            try {
                groups.execute(Groups.exclusive("a", throwing, "b"), "maybe");
                left.set(Integer.MAX_VALUE);
            } catch (IllegalStateException expected) {
                failures++;
                assertThat(expected).isSameAs(thrown);
            }
            left.set(calls);
            try {
                executor.execute(new OfClass(throwing));
                left.set(Integer.MAX_VALUE);
            } catch (IllegalStateException expected) {
                failures++;
            }
            groups.run();
            assertThat(executor.inspect().stats().keys()).isZero();
        }
        assertThat(failures).isBetween(2, 39);
        groups.execute(Groups.exclusive("a", quiet(1), "b"), "after");
        assertThat(groups.run()).containsExactly("after");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
        groups.heard.assertOneEndEach("");
    }

    @Test
    @DisplayName("keys that cannot be printed do not hide what a message has to say")
    void keysThatCannotBePrinted() {
        Key unprintable = new Key(1, () -> {
            if (StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("toString")))) {
                throw new IllegalStateException("by the key");
            }
        });
        SteppedGroups bounded = new SteppedGroups(settings -> settings.keyCapacity(1));
        bounded.execute(Groups.exclusive(unprintable), "first");
        assertThatThrownBy(() -> bounded.execute(Groups.exclusive(unprintable), "second"))
                .hasMessageContainingAll("Key", "capacity", "bank");
        assertThat(bounded.executor.executorFor(Groups.shared(unprintable)).toString())
                .contains("Key");
        assertThat(bounded.run()).containsExactly("first");
        bounded.assertAllEnded(1, 0, 0, 1);
    }

    /** In which modes a task has two groups, the second of which may equal the first. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions refer to nothing
    enum Modes {
        EXCLUSIVE(Groups::exclusive),
        SHARED(Groups::shared),
        BOTH((one, other) -> Groups.exclusive(other).andShared(one)),
        SHARED_BARRIER((one, other) -> Groups.allShared().andExclusive(other, one));

        private final BiFunction<Object, Object, Groups> groups;

        Modes(BiFunction<Object, Object, Groups> groups) {
            this.groups = groups;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "two groups are refused if one equals the other, but not the other way round, or if both equal a third one")
    void groupsThatAreHalfEqual(Modes modes) {
        Groups oneWay = modes.groups.apply(new Vague(1, 9, 0), new Vague(2, 9, 0));
        Groups byThird = modes.groups.apply(new Vague(1, 1, 1), new Vague(3, 1, 1));
        Groups third = Groups.exclusive(new Vague(2, 1, 1));
        assertThat(byThird.exclusiveGroups().size() + byThird.sharedGroups().size())
                .isEqualTo(2);
        SteppedGroups unlimited = new SteppedGroups(settings -> settings);
        SteppedGroups bounded = new SteppedGroups(settings -> settings.keyCapacity(5));
        for (SteppedGroups each : List.of(unlimited, bounded)) {
            assertSameKey(each, oneWay);
            each.execute(third, "third");
            assertSameKey(each, byThird);
            assertSameKey(each, oneWay);
            assertThat(each.run()).containsExactly("third");
            assertThat(each.executor.inspect().stats().keys()).isZero();
            each.execute(Groups.exclusive(new Vague(2, 9, 0)), "after");
            assertThat(each.run()).containsExactly("after");
            each.executor.shutdown();
            assertThat(each.executor.isTerminated()).isTrue();
            assertThat(each.executor.inspect().stats().completed()).isEqualTo(2);
            assertThat(each.heard.count(HeardTasks.Kind.REJECTED)).isEqualTo(3);
            each.heard.assertOneEndEach("");
        }
    }

    private static void assertSameKey(SteppedGroups groups, Groups same) {
        assertThatThrownBy(() -> groups.execute(same, "refused"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(Vague.class.getName(), "equal one key, but are not equal to each other");
    }
}
