package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.kafka.Journal.Event;
import io.orderedexecutor.kafka.Journal.Kind;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;

/**
 * Applications with an ordered listener, each in a process of its own, and the load for them. All are gone at the end;
 * what they wrote stays in {@code target/processes}. The broker answers them after as many milliseconds as the system
 * property {@code latency} says: without any, races between answers would hardly happen.
 */
final class Instances implements AutoCloseable {
    /** Workers of a process. */
    static final int THREADS = 16;

    static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);
    private static final int KEYS = 200;
    private static final int PARTITIONS = 4;
    private static final int BATCH = 40;

    private final String topic;
    private final String protocol;
    private final Duration session;
    private final BrokerProxy proxy;
    private final Path directory;
    private final Journal journal;
    private final List<String> settings = new ArrayList<>();
    private final List<Instance> all = new ArrayList<>();

    private final ScheduledExecutorService sender = Executors.newSingleThreadScheduledExecutor();

    /** How many records of each key were sent. The sender's, until it has ended. */
    private final Map<String, Integer> sent = new TreeMap<>();

    private Future<?> sending;
    private int nextKey;

    /**
     * Creates a topic and begins to send.
     *
     * @param protocol eager, cooperative or consumer
     * @param session after how long a silent process loses its partitions
     */
    Instances(String name, String protocol, Duration session, String... settings) throws Exception {
        this.protocol = protocol;
        this.session = session;
        this.settings.addAll(List.of(settings));
        topic = Broker.topic(PARTITIONS);
        proxy = new BrokerProxy(Duration.ofMillis(Integer.getInteger("latency", 5)));
        directory = Path.of("target", "processes", name + "-" + protocol).toAbsolutePath();
        Files.createDirectories(directory);
        Path file = directory.resolve("journal");
        Files.deleteIfExists(file);
        journal = new Journal(file);
        Broker.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.GROUP, topic),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("consumer.session.timeout.ms", Long.toString(session.toMillis())),
                                AlterConfigOp.OpType.SET))))
                .all()
                .get(30, TimeUnit.SECONDS);
        sending = sender.scheduleWithFixedDelay(this::send, 0, 50, TimeUnit.MILLISECONDS);
    }

    private void send() {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            String key = "key-" + nextKey++ % KEYS;
            int number = sent.merge(key, 1, Integer::sum) - 1;
            records.add(new ProducerRecord<>(topic, key, Integer.toString(number)));
        }
        try {
            Broker.send(records);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The group has the name of the topic. */
    String group() {
        return topic;
    }

    Journal journal() {
        return journal;
    }

    /** Begins to start one; it is not ready yet. */
    Instance start() throws IOException {
        Instance instance = new Instance("p" + all.size());
        all.add(instance);
        return instance;
    }

    /** Until so many more records were processed. */
    void awaitProgress(int records) throws Exception {
        long until = processed() + records;
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> processed() >= until);
    }

    /** Until this one has processed a record, too: it is ready before it has a partition. */
    void awaitProgress(Instance instance) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> journal.read().stream()
                        .anyMatch(each -> each.process().equals(instance.name()) && each.kind() == Kind.END));
    }

    private long processed() throws IOException {
        // each is started and ended; those that fail count twice
        return journal.size() / 2;
    }

    /** Sends no more, and waits until all is processed and committed. */
    History finish() throws Exception {
        sending.cancel(false);
        sender.shutdown();
        assertThat(sender.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        int total = sent.values().stream().mapToInt(Integer::intValue).sum();
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() ->
                            processed() >= total && History.of(journal.read()).processed() == total);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> committed() == total);
        } finally {
            all.forEach(Instance::terminate);
        }
        History history = History.of(journal.read());
        history.assertNothingIsLostOrOutOfOrder(sent);
        return history;
    }

    /** What the processes have logged, for a failure. */
    String logs() {
        StringBuilder logs = new StringBuilder();
        for (Instance each : all) {
            try {
                logs.append("\n").append(each.name).append(":\n").append(Files.readString(each.log()));
            } catch (IOException e) {
                logs.append(e);
            }
        }
        return logs.toString();
    }

    private long committed() throws Exception {
        long committed = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            committed += Math.max(0, Broker.committed(group(), topic, partition));
        }
        return committed;
    }

    @Override
    public void close() throws IOException {
        sender.shutdownNow();
        for (Instance each : all) {
            each.process
                    .destroyForcibly()
                    .onExit()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }
        proxy.close();
        journal.close();
    }

    /** One process. */
    final class Instance {
        private final String name;
        private final Process process;
        private final BlockingQueue<String> answers = new ArrayBlockingQueue<>(100);

        private Instance(String name) throws IOException {
            this.name = name;
            List<String> command = new ArrayList<>(List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx256m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    OrdersInstance.class.getName(),
                    "--instance=" + name,
                    "--journal=" + journal.file(),
                    "--topic=" + topic,
                    "--spring.main.banner-mode=off",
                    "--spring.kafka.bootstrap-servers=" + proxy.servers(),
                    "--spring.kafka.consumer.auto-offset-reset=earliest",
                    "--spring.kafka.consumer.max-poll-records=100",
                    // who has joined, left, and was thrown out, for a failure
                    "--logging.level.org.apache.kafka.clients.consumer.internals.ConsumerCoordinator=INFO",
                    "--ordered-executor.kafka.threads=" + THREADS,
                    "--ordered-executor.kafka.commit-interval=" + COMMIT_INTERVAL.toMillis() + "ms",
                    "--ordered-executor.kafka.retry.delay=20ms"));
            command.addAll(protocolSettings());
            command.addAll(settings);
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.to(new File(directory.toFile(), name + ".err")))
                    .start();
            Thread reader = new Thread(this::read, name + "-output");
            reader.setDaemon(true);
            reader.start();
        }

        private List<String> protocolSettings() {
            String kafka = "--spring.kafka.consumer.properties.";
            String assignor = kafka + "partition.assignment.strategy=org.apache.kafka.clients.consumer.";
            List<String> classic =
                    List.of(kafka + "session.timeout.ms=" + session.toMillis(), kafka + "heartbeat.interval.ms=200");
            List<String> chosen = new ArrayList<>();
            switch (protocol) {
                case "eager" -> chosen.add(assignor + "RangeAssignor");
                case "cooperative" -> chosen.add(assignor + "CooperativeStickyAssignor");
                case "consumer" -> chosen.add(kafka + "group.protocol=consumer");
                default -> throw new IllegalArgumentException(protocol);
            }
            if (!protocol.equals("consumer")) {
                chosen.addAll(classic);
            }
            return chosen;
        }

        private Path log() {
            return directory.resolve(name + ".out");
        }

        private void read() {
            try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
                    var log = Files.newBufferedWriter(log())) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    if (line.equals("ready")) {
                        answers.add(line);
                    } else {
                        log.write(line + "\n");
                        log.flush();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String name() {
            return name;
        }

        /** Until it is started, or has done the last command. */
        Instance awaitReady() throws InterruptedException {
            assertThat(answers.poll(60, TimeUnit.SECONDS))
                    .as("%s in %s", name, directory)
                    .isNotNull();
            return this;
        }

        /** One of start, stop, pause, resume. */
        void command(String command) throws Exception {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            awaitReady();
        }

        /** As {@code kill -9}. */
        void kill() throws Exception {
            process.destroyForcibly();
            awaitEnd();
        }

        /** As a stop of the machine or of its container: SIGTERM. */
        void terminate() {
            // not the process itself: that would close its input, too, at whose end it halts
            process.toHandle().destroy();
            awaitEnd();
        }

        /** As the shell tells it. */
        int exitCode() {
            return process.exitValue();
        }

        private void awaitEnd() {
            try {
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(name).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            journal.append(Event.gone(name));
        }

        /** SIGSTOP, and its end SIGCONT. */
        void signal(String signal) throws Exception {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        }

        /** How many records it has processed. */
        long processed() throws IOException {
            return journal.read().stream()
                    .filter(each -> each.process().equals(name) && each.kind() == Kind.END)
                    .count();
        }
    }
}
