package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.kafka.CommitMetadata.Scope;
import io.orderedexecutor.kafka.History.Repetition;
import io.orderedexecutor.kafka.Instances.Instance;
import io.orderedexecutor.kafka.Journal.Event;
import io.orderedexecutor.kafka.Journal.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Applications in processes of their own that are killed, terminated and frozen under load. Not run with the other
 * tests, since starting them takes too long and the name does not end with Test or IT;
 * {@code docs/maintainers/evidence.md} has the command. The system properties {@code kills} and {@code terminations}
 * say how often, {@code protocol} is {@code eager}, {@code cooperative} or {@code consumer}.
 */
@DisabledOnOs(OS.WINDOWS) // which has no such signals
@Timeout(value = 9, unit = TimeUnit.MINUTES)
class ProcessSignals {
    /** What a commit may take beyond its interval, on a busy machine. */
    private static final Duration LATE = Duration.ofSeconds(10);

    /** After how long a silent process loses its partitions; a busy machine may keep it silent for some seconds. */
    private static final Duration SESSION = Duration.ofSeconds(10);

    /** Records that hold back the watermark and later records of their keys, so that commits need their metadata. */
    private static final String SLOW = "--slow=20";

    private static String protocol(String otherwise) {
        return System.getProperty("protocol", otherwise);
    }

    /** K8: what was settled since the last commit is repeated, and nothing else. */
    @Test
    void k8_aKillRepeatsWhatWasNotCommitted() throws Exception {
        int kills = Integer.getInteger("kills", 2);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<String, Map<TopicPartition, CommitMetadata>> committed = new HashMap<>();
        try (Instances instances = new Instances("killed", protocol("consumer"), SESSION, SLOW)) {
            List<Instance> running = new ArrayList<>(List.of(instances.start(), instances.start()));
            for (int i = 0; i < kills; i++) {
                Instance next = instances.start();
                for (Instance each : running) {
                    if (i == 0) {
                        each.awaitReady();
                    }
                }
                next.awaitReady();
                instances.awaitProgress(300 + random.nextInt(300));
                Instance victim = running.remove(random.nextInt(running.size()));
                instances.awaitProgress(victim);
                victim.kill();
                // what a dead process has committed does not change any more
                committed.put(victim.name(), committed(instances.group()));
                running.add(next);
            }
            History history = instances.finish();
            List<Event> events = instances.journal().read();
            assertThat(events)
                    .filteredOn(each -> committed.containsKey(each.process()) && each.kind() == Kind.END)
                    .as("the killed ones did something")
                    .isNotEmpty();
            assertClaimsBeyondTheOffset(committed.values());
            Map<String, Event> gone = new HashMap<>();
            events.stream()
                    .filter(each -> each.kind() == Kind.GONE)
                    .forEach(each -> gone.putIfAbsent(each.process(), each));
            for (Repetition each : history.repetitions()) {
                String dead = each.end().process();
                assertThat(committed).as("%s was not killed", each).containsKey(dead);
                CommitMetadata claim = committed
                        .get(dead)
                        .get(new TopicPartition(instances.group(), each.end().partition()));
                assertThat(each.end().offset() >= claim.base()
                                && !claim.isSettled(each.end().offset()))
                        .as("%s was committed: %s", each, claim)
                        .isTrue();
                assertThat(Duration.ofNanos(gone.get(dead).nanos() - each.end().nanos()))
                        .as("age of %s at the kill", each)
                        .isLessThan(Instances.COMMIT_INTERVAL.plus(LATE));
            }
            assertThat(history.overlaps()).isEmpty();
            System.out.printf(
                    "%d kills, %s: %d records, %d repeated, of which the oldest had been processed %d ms before its "
                            + "process was killed%n",
                    kills,
                    protocol("consumer"),
                    history.processed(),
                    history.repetitions().size(),
                    history.repetitions().stream()
                                    .mapToLong(each ->
                                            gone.get(each.end().process()).nanos()
                                                    - each.end().nanos())
                                    .max()
                                    .orElse(0)
                            / 1_000_000);
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /** Or the test would show nothing of the metadata. */
    private static void assertClaimsBeyondTheOffset(Collection<Map<TopicPartition, CommitMetadata>> committed) {
        assertThat(committed)
                .anyMatch(each -> each.values().stream().anyMatch(claim -> claim.highest() > claim.base()));
    }

    /** What is committed, with what is settled beyond it. */
    private static Map<TopicPartition, CommitMetadata> committed(String group) throws Exception {
        String cluster = Broker.admin().describeCluster().clusterId().get(30, TimeUnit.SECONDS);
        Map<TopicPartition, CommitMetadata> claims = new HashMap<>();
        for (int partition = 0; partition < 4; partition++) {
            TopicPartition each = new TopicPartition(group, partition);
            OffsetAndMetadata commit = Broker.committed(group).get(each);
            long offset = commit == null ? 0 : commit.offset();
            CommitMetadata claim = commit == null
                    ? CommitMetadata.NONE
                    : CommitMetadata.decode(offset, commit.metadata(), Long.MAX_VALUE, new Scope(cluster, group, each));
            claims.put(
                    each,
                    claim == CommitMetadata.NONE ? new CommitMetadata(offset, offset - 1, -1, new long[0]) : claim);
        }
        return claims;
    }

    /** K4: a stop by SIGTERM repeats nothing, and no key runs in two processes. */
    @Test
    void k4_aTerminationRepeatsNothing() throws Exception {
        int terminations = Integer.getInteger("terminations", 2);
        List<Map<TopicPartition, CommitMetadata>> committed = new ArrayList<>();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (Instances instances =
                new Instances("terminated", protocol("cooperative"), Duration.ofSeconds(20), SLOW, "--failing=10")) {
            List<Instance> running = new ArrayList<>(List.of(instances.start(), instances.start()));
            for (Instance each : running) {
                each.awaitReady();
            }
            for (int i = 0; i < terminations; i++) {
                Instance next = instances.start().awaitReady();
                instances.awaitProgress(300 + random.nextInt(300));
                Instance victim = running.remove(random.nextInt(running.size()));
                victim.terminate();
                assertThat(victim.exitCode()).isEqualTo(128 + 15);
                committed.add(committed(instances.group()));
                running.add(next);
            }
            History history = instances.finish();
            assertClaimsBeyondTheOffset(committed);
            assertThat(history.repetitions()).isEmpty();
            assertThat(history.overlaps()).isEmpty();
            System.out.printf(
                    "%d terminations, %s: %d records, none repeated%n",
                    terminations, protocol("cooperative"), history.processed());
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /**
     * K3: a process that was frozen for longer than its session commits nothing of what is others' meanwhile. It may
     * end what it had begun, and begin nothing but what its workers were just about to.
     */
    @Test
    void k3_aFrozenProcessLosesItsPartitionsAndHarmsNothing() throws Exception {
        try (Instances instances = new Instances("frozen", protocol("eager"), SESSION, SLOW)) {
            Instance frozen = instances.start();
            Instance other = instances.start();
            frozen.awaitReady();
            other.awaitReady();
            instances.awaitProgress(300);
            // the other may have been the first in the group, with all partitions
            await().atMost(Duration.ofSeconds(30)).until(() -> frozen.processed() > 50);
            frozen.signal("STOP");
            long at = System.nanoTime();
            // all that was sent meanwhile, so the partitions of the frozen one as well
            awaitAllPartitions(instances, other, at);
            long resumed = System.nanoTime();
            frozen.signal("CONT");
            long before = frozen.processed();
            instances.awaitProgress(600);
            // more than it had begun before
            await("it takes part again")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> frozen.processed() > before + Instances.THREADS);
            History history = instances.finish();
            List<Repetition> repetitions = history.repetitions();
            assertThat(repetitions)
                    .allMatch(each -> each.end().process().equals(frozen.name())
                            || each.again().process().equals(frozen.name()));
            assertThat(history.overlaps())
                    .allMatch(each -> isOf(frozen, each.first()) || isOf(frozen, each.second()))
                    .allMatch(each -> each.second().nanos() > at);
            // what it had done itself and not committed, it may begin again when it has a partition back
            long late = repetitions.stream()
                    .filter(each -> isOf(other, each.end()) && isOf(frozen, each.again()))
                    .count();
            long ownAgain = repetitions.stream()
                    .filter(each -> isOf(frozen, each.end()) && isOf(frozen, each.again()))
                    .count();
            assertThat(late).as("begun by it when it had lost them").isLessThanOrEqualTo(Instances.THREADS);
            System.out.printf(
                    "frozen for %d ms, %s: %d records, %d repeated, %d overlaps; begun late: %d, its own again: %d%n",
                    (resumed - at) / 1_000_000,
                    protocol("eager"),
                    history.processed(),
                    repetitions.size(),
                    history.overlaps().size(),
                    late,
                    ownAgain);
        }
    }

    private static boolean isOf(Instance instance, Event event) {
        return event.process().equals(instance.name());
    }

    /** Until a process has done records of every partition that were begun after this time. */
    private static void awaitAllPartitions(Instances instances, Instance instance, long since) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> instances.journal().read().stream()
                                .filter(each -> isOf(instance, each) && each.nanos() > since)
                                .map(Event::partition)
                                .distinct()
                                .count()
                        == 4);
    }
}
