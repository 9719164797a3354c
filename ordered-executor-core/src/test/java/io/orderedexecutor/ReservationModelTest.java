package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Touch;
import io.orderedexecutor.stats.KeySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R12 at random, beside a sequential reference: a list of what was submitted and reserved, in order. After each
 * operation exactly those tasks must have started that have come and are behind nothing that they conflict with.
 *
 * <p>A failure names its seed; run it again with {@code -Dmodel.seed=...}, and longer with
 * {@code -Dreservations.rounds=...}.
 */
@Tag("no-second-try")
class ReservationModelTest {
    private static final int ROUNDS = Rounds.of("reservations.rounds", 30, 150);

    // expired leases and tasks that fail are reported
    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> {});

    /** Something that was submitted or reserved, and what the model says of it. */
    private static final class Item {
        final int number;
        final Touch touch;
        Reservation place;
        boolean isHeldByStage;
        CompletableFuture<?> future;
        final CompletableFuture<Object> stage = new CompletableFuture<>();
        int starts;

        boolean hasTask;
        boolean hasStarted;
        boolean hasEnded;

        Item(int number, Touch touch) {
            this.number = number;
            this.touch = touch;
        }

        boolean isOpen() {
            return place != null && !hasTask && !hasEnded;
        }

        boolean isQueued() {
            return !hasEnded && !hasStarted;
        }

        boolean isActive() {
            return hasStarted && !hasEnded;
        }
    }

    /** Both kinds of executor, as the model needs them. */
    private interface Subject {
        Reservation reserve(Touch touch);

        CompletableFuture<Boolean> submit(Touch touch, Item item);

        long reserved();

        OrderedExecutor executor();
    }

    private record OfStripes(StripedExecutor executor) implements Subject {
        @Override
        public Reservation reserve(Touch touch) {
            return executor.reserve(touch.groups());
        }

        @Override
        public CompletableFuture<Boolean> submit(Touch touch, Item item) {
            return executor.submit(touch.groups(), () -> item.starts++ == 0);
        }

        @Override
        public long reserved() {
            return executor.inspect().reserved().count();
        }
    }

    private record OfGroups(GroupedExecutor executor) implements Subject {
        @Override
        public Reservation reserve(Touch touch) {
            return executor.reserve(touch.groups());
        }

        @Override
        public CompletableFuture<Boolean> submit(Touch touch, Item item) {
            return executor.submit(touch.groups(), () -> item.starts++ == 0);
        }

        @Override
        public long reserved() {
            return executor.inspect().reserved().count();
        }
    }

    /** One round: an executor, its threads, its timer, and the reference. */
    private static final class Round {
        final SplittableRandom random;
        final SteppedExecutor steps = new SteppedExecutor();
        final HandTimer timer = new HandTimer();
        final boolean striped;
        final int capacity;
        final boolean leases;
        final Subject subject;
        final List<Item> items = new ArrayList<>();
        final Set<Item> leased = new HashSet<>();

        Round(long seed) {
            random = new SplittableRandom(seed);
            striped = random.nextBoolean();
            capacity = random.nextInt(3) == 0 ? 1 + random.nextInt(12) : 1_000_000;
            leases = random.nextInt(3) == 0;
            if (striped) {
                StripedExecutorBuilder builder = StripedExecutor.builder()
                        .executor(steps)
                        .platform(timer)
                        .capacity(capacity);
                subject = new OfStripes((leases ? builder.reservationLease(Duration.ofSeconds(1)) : builder).build());
            } else {
                GroupedExecutorBuilder builder = GroupedExecutor.builder()
                        .executor(steps)
                        .platform(timer)
                        .capacity(capacity);
                subject = new OfGroups((leases ? builder.reservationLease(Duration.ofSeconds(1)) : builder).build());
            }
        }

        /** For a striped executor, groups that are equal are one stripe, and others do not conflict. */
        boolean conflict(Item one, Item other) {
            return striped ? one.touch.groups().equals(other.touch.groups()) : one.touch.conflictsWith(other.touch);
        }

        boolean isFirst(Item item) {
            return items.stream()
                    .noneMatch(other -> other.number < item.number && !other.hasEnded && conflict(other, item));
        }

        void run() {
            int operations = 20 + random.nextInt(200);
            for (int i = 0; i < operations; i++) {
                operate();
                if (random.nextInt(4) != 0) {
                    settle();
                }
            }
            settle();
            if (random.nextBoolean()) {
                stop();
            } else {
                finish();
            }
            assertThat(subject.reserved()).isZero();
            assertThat(subject.executor().isTerminated()).isTrue();
            assertThat(subject.executor().inspect().stats().queued()).isZero();
            for (Item item : items) {
                assertThat(item.starts).as("runs of %d", item.number).isEqualTo(item.hasStarted ? 1 : 0);
            }
        }

        private void operate() {
            int act = random.nextInt(100);
            if (act < 20) {
                enter(false);
            } else if (act < 45) {
                enter(true);
            } else if (act < 65) {
                pick(Item::isOpen, this::use);
            } else if (act < 75) {
                pick(Item::isOpen, item -> {
                    item.place.close();
                    end(item);
                });
            } else if (act < 85) {
                pick(item -> item.hasStarted && !item.hasEnded, item -> {
                    item.stage.complete(1);
                    end(item);
                });
            } else if (act < 92) {
                pick(item -> item.isQueued() && item.future != null, item -> {
                    assertThat(item.future.cancel(false)).isTrue();
                    end(item);
                });
            } else if (act < 96) {
                pick(item -> item.place != null && !item.isOpen(), this::useInVain);
            } else {
                settle();
                timer.fire();
                leased.stream().filter(Item::isOpen).forEach(this::end);
                leased.clear();
            }
        }

        private void pick(java.util.function.Predicate<Item> among, java.util.function.Consumer<Item> act) {
            List<Item> candidates = items.stream().filter(among).toList();
            if (!candidates.isEmpty()) {
                act.accept(candidates.get(random.nextInt(candidates.size())));
            }
        }

        private void enter(boolean asPlace) {
            Touch touch;
            do {
                touch = Touch.random(random, random.nextBoolean() ? 60 : 300);
            } while (touch.wants().isEmpty());
            Item item = new Item(items.size(), touch);
            // how many wait is known when the threads have done what they can
            settle();
            boolean isFull = items.stream().filter(Item::isQueued).count() >= capacity;
            try {
                if (asPlace) {
                    item.place = subject.reserve(touch);
                } else {
                    item.future = subject.submit(touch, item);
                    item.hasTask = true;
                }
                items.add(item);
                assertThat(isFull).as("a full executor accepts nothing").isFalse();
            } catch (RejectedExecutionException full) {
                assertThat(isFull).as("it rejects only what it has no room for").isTrue();
            }
        }

        private void use(Item item) {
            item.hasTask = true;
            switch (random.nextInt(4)) {
                case 0 -> item.place.execute(() -> item.starts++);
                case 1 -> item.future = item.place.submit(() -> item.starts++);
                case 2 ->
                    item.future = item.place.submit(() -> {
                        item.starts++;
                        throw new ThrownOnPurpose();
                    });
                default -> {
                    item.isHeldByStage = true;
                    item.future = item.place.submitAsync(() -> {
                        item.starts++;
                        return item.stage;
                    });
                }
            }
        }

        private void useInVain(Item item) {
            try {
                item.place.execute(() -> item.starts += 100);
            } catch (IllegalStateException used) {
                return;
            }
            throw new AssertionError("place " + item.number + " was used twice");
        }

        private void end(Item item) {
            item.hasEnded = true;
        }

        /** Lets the threads do what they can, the reference too, and compares. */
        private void settle() {
            steps.runAll();
            boolean any = true;
            while (any) {
                any = false;
                for (Item item : items) {
                    if (!item.hasEnded && !item.hasStarted && isFirst(item)) {
                        if (item.hasTask) {
                            item.hasStarted = true;
                            item.hasEnded = !item.isHeldByStage;
                            any = true;
                        } else if (leases) {
                            leased.add(item);
                        }
                    }
                }
            }
            for (Item item : items) {
                assertThat(item.starts).as("runs of %d", item.number).isEqualTo(item.hasStarted ? 1 : 0);
            }
            assertThat(subject.reserved())
                    .isEqualTo(items.stream().filter(Item::isOpen).count());
            assertThat(subject.executor().inspect().stats().queued())
                    .isEqualTo(items.stream().filter(Item::isQueued).count());
            assertThat(subject.executor().inspect().stats().active())
                    .isEqualTo(items.stream().filter(Item::isActive).count());
            compareKeys();
        }

        /** What is told of each key, and that no other is told of. */
        private void compareKeys() {
            Map<Object, List<Item>> byKey = new HashMap<>();
            for (Item item : items) {
                if (!item.hasEnded) {
                    for (Object key : striped ? Set.of(item.touch.groups()) : item.touch.keys()) {
                        byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(item);
                    }
                }
            }
            ExecutorInspection inspection = subject.executor().inspect();
            List<KeySnapshot> all = inspection.deepestKeys(Integer.MAX_VALUE);
            assertThat(all).extracting(KeySnapshot::key).containsExactlyInAnyOrderElementsOf(byKey.keySet());
            assertThat(all)
                    .isSortedAccordingTo(
                            Comparator.comparingLong(KeySnapshot::queued).reversed());
            for (KeySnapshot snapshot : all) {
                List<Item> there = byKey.get(snapshot.key());
                assertThat(snapshot.queued())
                        .isEqualTo(there.stream().filter(Item::isQueued).count());
                assertThat(snapshot.active())
                        .isEqualTo(there.stream().filter(Item::isActive).count());
                assertThat(snapshot.reserved())
                        .isEqualTo(there.stream().filter(Item::isOpen).count());
                assertThat(inspection.snapshot(snapshot.key()).map(KeySnapshot::queued))
                        .hasValue(snapshot.queued());
            }
        }

        /** All that is open is used or given back, and ends. */
        private void finish() {
            subject.executor().shutdown();
            settle();
            while (items.stream().anyMatch(item -> !item.hasEnded)) {
                pick(Item::isOpen, item -> {
                    if (random.nextBoolean()) {
                        use(item);
                    } else {
                        item.place.close();
                        end(item);
                    }
                });
                pick(item -> item.hasStarted && !item.hasEnded, item -> {
                    item.stage.complete(1);
                    end(item);
                });
                settle();
            }
        }

        private void stop() {
            List<Item> queued = items.stream().filter(Item::isQueued).toList();
            long withTask = queued.stream().filter(item -> item.hasTask).count();
            assertThat(subject.executor().shutdownNow()).hasSize((int) withTask);
            for (Item item : queued) {
                if (item.isOpen()) {
                    try {
                        item.place.execute(() -> item.starts += 100);
                        throw new AssertionError("place " + item.number + " was used after shutdownNow");
                    } catch (RejectedExecutionException stopped) {
                        assertThat(stopped).hasMessageContaining("was given back when the executor was shut down");
                    }
                }
                end(item);
            }
            steps.runAll();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @DisplayName("at random, striped and grouped, with limits, leases, cancellations and both shutdowns")
    void atRandom(int part) {
        Long given = Long.getLong("model.seed");
        long first = given == null ? System.nanoTime() * 3 + part : given;
        System.out.println("ReservationModelTest: -Dmodel.seed=" + first + " and on");
        for (int round = 0; round < (given == null ? ROUNDS : 1); round++) {
            long seed = first + round;
            try {
                new Round(seed).run();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("again with -Dmodel.seed=" + seed, failure);
            }
        }
    }
}
