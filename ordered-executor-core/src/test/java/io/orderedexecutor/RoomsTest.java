package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The floors of the core: a type uses those of its own room and of the rooms that this one is built on. */
class RoomsTest {

    /** From the bottom up. */
    enum Room {
        /** Plain values and contracts, which use nothing else. */
        VALUES(
                1,
                "",
                "FailurePolicy GroupPath Groups OrderedExecutor OrderedTask OutputFailure Overflow SelfWaitException"
                        + " Ticket StripedCallable"
                        + " StripedObject StripedRunnable TaskListener stats.GroupSnapshot"
                        + " stats.GroupedExecutorStats stats.OrderedExecutorSettings stats.OrderedExecutorStats"
                        + " stats.OrderedOutputExecutorStats stats.OutputSnapshot stats.ParkedStripe stats.ParkedTask"
                        + " stats.QueuedTask stats.Rejections stats.RunningTask"
                        + " stats.SequencerSnapshot stats.StripeSnapshot stats.StripedExecutorStats"),
        /** Where a {@link Runnable} finds a thread. */
        POOL(
                2,
                "VALUES",
                "BorrowedWorkers HandOver Platform ReadyQueue ServesTasks Signal Turn TurnClock UncaughtFailures Worker"
                        + " WorkerPool"
                        + " WorkerRoster WorkerThreadFactory Workers"),
        /** One task at a time, and the life of that task. */
        STRAND(
                3,
                "VALUES POOL",
                "Attempts Hold Host Link LinkQueue NestedCompletions Serving StageFuture Strand StrandControl"
                        + " Suspension TaskEnd TaskEvents TaskFuture TaskLife TaskReporter Wait WorkFuture"),
        /** What all executors share: lifecycle, limits, tables. */
        EXECUTOR(
                2,
                "VALUES POOL STRAND",
                "Bins Bounds Engine KeyQueue Lifecycle RejectionCounts SegmentedTable Settings WaitingRoom"),
        /** Order of outputs, for threads of the application. */
        TICKET(
                2,
                "VALUES POOL",
                "Leases NumberLine NumberedTickets QueuedTicket Sequencer ServerSettings ServingTurn Stop TicketQueue TicketServer"
                        + " TicketSettings TicketWaiters WaitingThreads"),
        /** Order by one key. */
        STRIPED(3, "VALUES POOL STRAND EXECUTOR", "Stripe StripeBins StripeSegment StripeTable StripedEngine"),
        /** Order by several keys. */
        GROUPED(
                3,
                "VALUES POOL STRAND EXECUTOR",
                "Access Comparisons Group GroupSegment GroupTable GroupedEngine GroupedTask Intent LockQueue"
                        + " ReadyList TasksAhead"),
        /** Order of outputs, which have a facade each. */
        OUTPUT(
                3,
                "VALUES POOL STRAND EXECUTOR TICKET",
                "ConcurrencyLimit OutputAttempt OutputEngine OutputFuture OutputSequence OutputSettings OutputTable"
                        + " OutputTask ResultWriter TaskRing"),
        /** What applications call. */
        FACADES(
                3,
                "VALUES POOL STRAND EXECUTOR TICKET STRIPED GROUPED OUTPUT",
                "AbstractOrderedExecutor ExecutorServiceView GroupedExecutor GroupedExecutorBuilder"
                        + " GroupedExecutorService OrderedExecutorBuilder OrderedOutput OrderedOutputBuilder"
                        + " OrderedOutputExecutor"
                        + " OrderedOutputExecutorBuilder OutputBridge ReadAhead SerialExecutor StripedExecutor "
                        + "StripedExecutorBuilder"
                        + " StripedExecutorService TicketSequencer TicketSequencerBuilder");

        /** The most types of which each uses each other, directly or by others. */
        final int largestCircle;

        private final String uses;
        private final String types;

        Room(int largestCircle, String uses, String types) {
            this.largestCircle = largestCircle;
            this.uses = uses;
            this.types = types;
        }

        Set<String> uses() {
            return words(uses);
        }

        Set<String> types() {
            return words(types);
        }

        private static Set<String> words(String words) {
            return words.isEmpty() ? Set.of() : new TreeSet<>(List.of(words.split(" ")));
        }

        static Room of(String type) {
            return Arrays.stream(values())
                    .filter(room -> room.types().contains(type))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static final String PACKAGE = "io.orderedexecutor.";

    /** Which types each type uses; a nested type is part of the one that it is in. */
    private static final Map<String, Set<String>> USES = new TreeMap<>();

    static {
        JavaClasses core = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.orderedexecutor");
        for (JavaClass type : core) {
            if (!type.getSimpleName().equals("package-info")) {
                Set<String> uses = USES.computeIfAbsent(nameOf(type), name -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass used = dependency.getTargetClass().getBaseComponentType();
                    if (used.getName().startsWith(PACKAGE) && !nameOf(used).equals(nameOf(type))) {
                        uses.add(nameOf(used));
                    }
                }
            }
        }
    }

    private static String nameOf(JavaClass type) {
        return type.getName().substring(PACKAGE.length()).replaceFirst("\\$.*", "");
    }

    @Test
    void everyTypeIsInOneRoom() {
        List<String> listed = Arrays.stream(Room.values())
                .map(Room::types)
                .flatMap(Collection::stream)
                .toList();
        assertThat(listed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(USES.keySet());
    }

    @ParameterizedTest
    @EnumSource
    void aRoomUsesThoseBelowIt(Room room) {
        List<String> strange = new ArrayList<>();
        for (String type : room.types()) {
            for (String used : USES.getOrDefault(type, Set.of())) {
                Room other = Room.of(used);
                if (other != room && !room.uses().contains(other.name())) {
                    strange.add(type + " uses " + used + " of " + other);
                }
            }
        }
        assertThat(strange).isEmpty();
        assertThat(room.uses())
                .as("those below it, so that no room is built on itself")
                .allMatch(name -> Room.valueOf(name).compareTo(room) < 0);
    }

    /** A limit that is reached, or lowered with the change that makes it possible. */
    @ParameterizedTest
    @EnumSource
    void noCircleOfARoomGrows(Room room) {
        int largest = 0;
        for (String type : room.types()) {
            Set<String> circle = new HashSet<>(reachableFrom(type));
            circle.removeIf(other -> !reachableFrom(other).contains(type));
            largest = Math.max(largest, circle.isEmpty() ? 1 : circle.size());
        }
        assertThat(largest).isEqualTo(room.largestCircle);
    }

    private static Set<String> reachableFrom(String type) {
        Set<String> reached = new HashSet<>();
        List<String> open = new ArrayList<>(List.of(type));
        while (!open.isEmpty()) {
            for (String used : USES.getOrDefault(open.remove(open.size() - 1), Set.of())) {
                if (reached.add(used)) {
                    open.add(used);
                }
            }
        }
        return reached;
    }
}
