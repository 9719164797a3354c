package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** R5: a recursion that uses an executor at the end of its stack loses nothing in silence. */
class BrokenExecutorTest {

    @Test
    @DisplayName(
            "an executor that was used at the end of the stack does all it has accepted, or says that it is broken")
    void nothingIsLostInSilence(@TempDir Path directory) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        // in a JVM of its own: a lambda whose first use is there can never be used again, by other tests neither
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dpatience=" + Patience.SECONDS,
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Dives.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(5 * Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(ended).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
            assertThat(Files.readString(output, StandardCharsets.UTF_8))
                    .endsWith("nothing was lost in silence" + System.lineSeparator());
        }
    }

    private record RecordKey(String value) {}

    /** What is done at the end of the stack. */
    private enum Deed {
        SUBMIT {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.stripes.submit("key", dive.task()));
            }
        },
        RECORD_KEY {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.stripes.submit(new RecordKey("key"), dive.task()));
            }
        },
        LATEST {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.stripes.with(WhenBusy.latest("slot")).submit("key", dive.task()));
            }
        },
        GROUPS {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.groups.submit(Groups.exclusive("key", round % 5), dive.task()));
            }
        },
        BARRIER {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.groups.submit(Groups.all(), dive.task()));
            }
        },
        PIECE {
            @Override
            void perform(Dive dive, int round) {
                dive.note(dive.output.submit(dive.task()));
            }
        },
        RESERVATION {
            @Override
            void perform(Dive dive, int round) {
                Reservation reservation = dive.stripes.reserve("key");
                dive.reservations.add(reservation);
                dive.note(reservation.submit(dive.task()));
            }
        },
        TICKET {
            @Override
            void perform(Dive dive, int round) {
                Reservation ticket = dive.tickets.tryNext();
                if (ticket != null) {
                    dive.reservations.add(ticket);
                    dive.note(ticket.submit(dive.task()));
                }
            }
        },
        CANCEL {
            @Override
            void perform(Dive dive, int round) {
                dive.waiting.get(round % dive.waiting.size()).cancel(true);
            }
        };

        abstract void perform(Dive dive, int round);
    }

    /** One recursion, with executors of its own. */
    private static final class Dive {
        private static final Platform IMPATIENT = new Platform() {
            @Override
            public long patienceNanos() {
                return TimeUnit.MILLISECONDS.toNanos(20);
            }
        };

        private static final String DIVER = "diver";
        private static final int TASKS = 10_000;
        private static final int WAITING = 1_000;

        final StripedExecutor stripes = StripedExecutor.builder()
                .platform(IMPATIENT)
                .name("stripes")
                .threads(2)
                .build();
        final GroupedExecutor groups = GroupedExecutor.builder()
                .platform(IMPATIENT)
                .name("groups")
                .threads(2)
                .build();
        final OrderedOutputExecutor outputs = OrderedOutputExecutor.builder()
                .platform(IMPATIENT)
                .name("outputs")
                .threads(2)
                .build();
        final OrderedOutput<Integer> output = outputs.open(written -> {});
        final TicketSequencer tickets =
                TicketSequencer.builder().platform(IMPATIENT).build();
        final List<Reservation> reservations = new ArrayList<>(TASKS);
        final CountDownLatch begun = new CountDownLatch(1);
        final List<CompletableFuture<?>> waiting = new ArrayList<>();

        /** How often each task has run; made before, since there may be no stack for it later. */
        private final AtomicInteger[] runs = new AtomicInteger[TASKS];

        /** Of each task that was accepted; null of one whose submission an Error has cut short. */
        private final @Nullable CompletableFuture<?>[] futures = new CompletableFuture<?>[TASKS];

        private CompletableFuture<?> flushed = CompletableFuture.completedFuture(null);
        private int tasks;
        private int skipped;
        private int failures;

        /** Whether an executor has rejected a task because it is broken, which it tells, too. */
        private boolean saysBroken;

        Dive() {
            for (int i = 0; i < TASKS; i++) {
                runs[i] = new AtomicInteger();
            }
            var unused = stripes.submit("held", () -> {
                Patience.await(begun);
                return 0;
            });
            for (int i = 0; i < WAITING; i++) {
                CompletableFuture<?> held = stripes.submit("held", task());
                note(held);
                waiting.add(held);
            }
        }

        Callable<Integer> task() {
            AtomicInteger ran = runs[tasks++];
            return ran::incrementAndGet;
        }

        /** The future of the task that was made last. */
        void note(CompletableFuture<?> future) {
            futures[tasks - 1] = future;
        }

        /** Does it again and again while the stack unwinds, each time with a little more of it, until that suffices. */
        @SuppressWarnings("InfiniteRecursion") // up to the end of the stack
        boolean descend(Deed deed, int unused) {
            boolean isDone;
            try {
                isDone = descend(deed, unused + 1);
            } catch (StackOverflowError end) {
                isDone = false;
            }
            if (isDone || skipped > 0) {
                skipped--;
                return isDone;
            }
            try {
                deed.perform(this, failures);
                return true;
            } catch (StackOverflowError | LinkageError | IllegalStateException | RejectedExecutionException failed) {
                failures++;
                return failures >= TASKS / 4;
            }
        }

        void run(Deed deed, int toSkip) {
            skipped = toSkip;
            Thread diver = new Thread(null, () -> descend(deed, 0), DIVER, 256 << 10);
            diver.start();
            Patience.join(diver);
            begun.countDown();
            for (Reservation reservation : reservations) {
                try {
                    reservation.close();
                } catch (IllegalStateException ofBroken) {
                    // its executor says so
                }
            }
        }

        /** Asks each of the executors for another task; returns whether one has said that it is broken. */
        boolean isBroken() {
            boolean isBroken = isRejected(() -> note(stripes.submit("key", task())));
            isBroken |= isRejected(() -> note(groups.submit(Groups.exclusive("key"), task())));
            isBroken |= isRejected(() -> note(output.submit(task())));
            isBroken |= isRejected(() -> {
                try (Reservation ticket = tickets.tryNext()) {
                    if (ticket == null) {
                        flushed = tickets.flush();
                    } else {
                        note(ticket.submit(task()));
                    }
                }
            });
            return isBroken;
        }

        private boolean isRejected(Runnable submission) {
            try {
                submission.run();
                return false;
            } catch (RejectedExecutionException broken) {
                assertThat(broken.getCause()).isInstanceOfAny(StackOverflowError.class, LinkageError.class);
                saysBroken = true;
                return true;
            } catch (LinkageError ofUnusableClass) {
                // the recursion was the first one to use a class, of the JDK even, which no code can use from then on
                return true;
            }
        }

        void assertAllDone() {
            Stream.of(futures).filter(Objects::nonNull).forEach(Dive::awaitEnd);
            awaitEnd(flushed);
        }

        private static void awaitEnd(CompletableFuture<?> future) {
            try {
                future.get(Patience.SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException | CancellationException ended) {
                // it has ended
            } catch (InterruptedException | TimeoutException e) {
                throw Patience.hang(future + " of an executor that says nothing");
            }
        }

        void close(boolean isBroken) {
            for (OrderedExecutor executor : List.of(stripes, groups, outputs)) {
                Thread closer = new Thread(executor::close, "closer");
                closer.start();
                Patience.join(closer);
                assertThat(executor.isTerminated() || isBroken)
                        .as("terminated or broken")
                        .isTrue();
                executor.shutdownNow();
            }
            for (int i = 0; i < TASKS; i++) {
                CompletableFuture<?> future = futures[i];
                // that of a broken executor may never be done
                boolean isOver = future != null && future.isDone() && !future.isCompletedExceptionally();
                assertThat(runs[i].get()).as("runs of task %d, %s", i, future).isBetween(isOver ? 1 : 0, 1);
            }
        }
    }

    /** In a JVM of its own. */
    static final class Dives {
        private static final int DIVES = 6;

        private Dives() {}

        public static void main(String[] args) {
            try {
                dive(args);
            } catch (Throwable thrown) {
                thrown.printStackTrace(System.out);
            }
            // broken executors keep their threads for a while
            System.exit(0);
        }

        private static void dive(String[] args) throws InterruptedException {
            long seed = args.length > 0 ? Long.parseLong(args[0]) : System.nanoTime();
            System.out.println("seed " + seed);
            Random random = new Random(seed);
            BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
            Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
                // the end of a stack may leave the lock of the queue taken; what is told comes from another thread
                if (!thread.getName().equals(Dive.DIVER)) {
                    told.add(failure);
                }
            });
            linkAll();
            for (Deed deed : Deed.values()) {
                int broken = 0;
                for (int i = 0; i < DIVES; i++) {
                    told.clear();
                    Dive dive = new Dive();
                    dive.run(deed, random.nextInt(40));
                    boolean isBroken = dive.isBroken();
                    if (isBroken) {
                        broken++;
                    } else {
                        dive.assertAllDone();
                    }
                    dive.close(isBroken);
                    if (dive.saysBroken) {
                        assertThat(told.poll(Patience.SECONDS, TimeUnit.SECONDS))
                                .as("what is told")
                                .isNotNull();
                    }
                }
                System.out.println(deed + ": " + broken + " of " + DIVES + " have broken an executor");
            }
            System.out.println("nothing was lost in silence");
        }

        /** Uses all for the first time, where there is stack for it. */
        private static void linkAll() {
            Dive dive = new Dive();
            for (Deed deed : Deed.values()) {
                deed.perform(dive, 0);
            }
            dive.begun.countDown();
            assertThat(dive.isBroken()).isFalse();
            dive.assertAllDone();
            dive.close(false);
        }
    }
}
