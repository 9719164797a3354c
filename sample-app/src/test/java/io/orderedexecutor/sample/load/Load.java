package io.orderedexecutor.sample.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts a load on the sample from outside, stops it by SIGTERM in the middle, and then compares what was accepted with
 * what the application has booked, in which order. A program of its own, that needs nothing but the JDK, and a browser
 * if the page is to be looked at:
 *
 * <pre>{@code
 * mvn -pl sample-app -am package -DskipTests
 * java -cp sample-app/target/test-classes io.orderedexecutor.sample.load.Load sample-app/target/sample-app-*.jar 60
 * }</pre>
 *
 * <p>Each client sends its events one request after the other; the page is open meanwhile, in a browser where there is
 * one, and its stream of moments is read. The application logs each event that it has booked. It ends with an error if
 * an accepted event is missing, was booked twice, or out of order.
 */
public final class Load {
    private static final int CLIENTS = 50;
    private static final int EVENTS_OF_A_REQUEST = 5;

    /** One in so many clients sends events that take longer. */
    private static final int SLOW = 10;

    private static final Pattern BOOKED =
            Pattern.compile("Booked: Event\\[client=(load-\\d+), type=DEPOSIT, amount=(\\d+)]");
    private static final Pattern ACCEPTED = Pattern.compile("\"accepted\":(\\d+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, List<Integer>> booked = new ConcurrentHashMap<>();
    private final Map<String, Client> clients = new ConcurrentHashMap<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final AtomicLong moments = new AtomicLong();
    private volatile long longestGapMillis;
    private volatile boolean ends;

    private Load() {}

    /** What one client has sent, and what it was told. */
    private static final class Client {
        private final List<Integer> sent = new ArrayList<>();
        private int accepted;
        private int refused;
        private int withoutAnswer;
    }

    /**
     * Starts the application and puts the load on it.
     *
     * @param args the application's jar, and for how many seconds
     * @throws Exception if it cannot be done, or a client has found something wrong
     */
    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: Load sample-app/target/sample-app-<version>.jar <seconds>");
            System.exit(2);
        }
        System.exit(new Load().run(Path.of(args[0]), Integer.parseInt(args[1])) ? 0 : 1);
    }

    private boolean run(Path jar, int seconds) throws Exception {
        int port = freePort();
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        jar.toString(),
                        "--server.port=" + port,
                        "--logging.level.io.orderedexecutor.sample.accounts=trace")
                .redirectErrorStream(true)
                .start();
        Thread log = new Thread(() -> readLog(application), "log");
        log.start();
        if (!started.await(60, TimeUnit.SECONDS)) {
            application.destroyForcibly();
            throw new IllegalStateException("the application has not started within a minute");
        }
        String base = "http://localhost:" + port;
        Thread reader = new Thread(() -> readMoments(base), "reader");
        reader.setDaemon(true);
        reader.start();
        Thread button = new Thread(() -> pressButton(base), "button");
        button.setDaemon(true);
        button.start();
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String name = "load-" + i;
            int slow = i % SLOW == 0 ? 10 : 1;
            Client client = new Client();
            clients.put(name, client);
            senders.add(new Thread(() -> send(base, name, client, slow), name));
        }
        long begun = System.nanoTime();
        senders.forEach(Thread::start);
        try {
            lookAtPage(base, begun + TimeUnit.SECONDS.toNanos(seconds));
        } finally { // all clients are sending
            // Process.destroy would close the log, too
            boolean unused = application.toHandle().destroy();
        }
        boolean ended = application.waitFor(60, TimeUnit.SECONDS);
        double took = (System.nanoTime() - begun) / 1e9 - seconds;
        ends = true;
        for (Thread sender : senders) {
            sender.join();
        }
        log.join();
        if (!ended) {
            application.destroyForcibly();
        }
        return report(seconds, took, ended);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void readLog(Process application) {
        try (BufferedReader lines = application.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher match = BOOKED.matcher(line);
                if (match.find()) {
                    booked.computeIfAbsent(match.group(1), client -> new ArrayList<>())
                            .add(Integer.valueOf(match.group(2)));
                } else if (line.contains("Started SampleApplication")) {
                    started.countDown();
                } else if (line.contains(" WARN ") || line.contains(" ERROR ")) {
                    System.out.println(line);
                }
            }
        } catch (IOException e) {
            System.out.println("The log could not be read to its end: " + e);
        }
    }

    /** Has the page open in a browser until then, or only waits where there is none. */
    private static void lookAtPage(String base, long end) throws IOException, InterruptedException {
        if (!Files.isExecutable(OpenPage.BROWSER)) {
            TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            System.out.println("page: there is no browser to open it with, " + OpenPage.BROWSER);
            return;
        }
        try (OpenPage page = new OpenPage(base)) {
            TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            System.out.println("page: " + page.report());
        }
    }

    /** Reads what the page reads, with nothing to draw. */
    private void readMoments(String base) {
        try {
            HttpResponse<java.io.InputStream> answer = http.send(
                    HttpRequest.newBuilder(URI.create(base + "/live/moments")).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                long last = System.nanoTime();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("data:")) {
                        long now = System.nanoTime();
                        longestGapMillis = Math.max(longestGapMillis, (now - last) / 1_000_000);
                        last = now;
                        moments.incrementAndGet();
                    }
                }
            }
        } catch (IOException | InterruptedException e) {
            // it ends with the application
        }
    }

    /** The page's own button, each second. */
    private void pressButton(String base) {
        HttpRequest burst = HttpRequest.newBuilder(URI.create(base + "/live/burst?count=8"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            while (!ends) {
                var unused = http.send(burst, HttpResponse.BodyHandlers.discarding());
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (IOException | InterruptedException e) {
            // it ends with the application
        }
    }

    private void send(String base, String name, Client client, int slow) {
        int number = 0;
        while (!ends) {
            StringBuilder body = new StringBuilder();
            List<Integer> amounts = new ArrayList<>();
            for (int i = 0; i < EVENTS_OF_A_REQUEST; i++) {
                // in a cycle whose length is a prime, so that an event that is missing or doubled shows
                int amount = 1 + number++ % 7 * slow;
                amounts.add(amount);
                body.append("{\"client\":\"%s\",\"type\":\"deposit\",\"amount\":%d}\n".formatted(name, amount));
            }
            try {
                HttpResponse<String> answer = http.send(
                        HttpRequest.newBuilder(URI.create(base + "/events"))
                                .header("Content-Type", "application/x-ndjson")
                                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                Matcher accepted = ACCEPTED.matcher(answer.body());
                int count = accepted.find() ? Integer.parseInt(accepted.group(1)) : 0;
                client.sent.addAll(amounts.subList(0, count));
                client.accepted += count;
                client.refused += EVENTS_OF_A_REQUEST - count;
                // what was not accepted is sent again
                number -= EVENTS_OF_A_REQUEST - count;
            } catch (IOException e) {
                // the application has gone: nothing is known of this request, and there is no other
                client.sent.addAll(amounts);
                client.withoutAnswer += EVENTS_OF_A_REQUEST;
                return;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private boolean report(int seconds, double took, boolean ended) {
        long accepted = 0;
        long refused = 0;
        long withoutAnswer = 0;
        long bookedInAll = 0;
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, Client> entry : clients.entrySet()) {
            Client client = entry.getValue();
            List<Integer> ofClient = booked.getOrDefault(entry.getKey(), List.of());
            accepted += client.accepted;
            refused += client.refused;
            withoutAnswer += client.withoutAnswer;
            bookedInAll += ofClient.size();
            if (ofClient.size() < client.accepted) {
                wrong.add(entry.getKey() + ": accepted " + client.accepted + ", booked " + ofClient.size());
            }
            if (ofClient.size() > client.sent.size()
                    || !client.sent.subList(0, ofClient.size()).equals(ofClient)) {
                wrong.add(entry.getKey() + ": not in the order in which it was sent");
            }
        }
        System.out.printf(
                "%d clients for %d s, then SIGTERM: the application ended %.1f s later%n", CLIENTS, seconds, took);
        System.out.printf(
                "events: %d accepted (%d a second), %d refused, %d without an answer; booked: %d%n",
                accepted, accepted / seconds, refused, withoutAnswer, bookedInAll);
        System.out.printf(
                "stream of the page: %d messages, longest time between two: %d ms%n", moments.get(), longestGapMillis);
        wrong.forEach(System.out::println);
        if (!ended) {
            System.out.println("The application has not ended within a minute.");
        }
        boolean isRight = wrong.isEmpty() && ended && accepted > 0 && moments.get() > 0;
        System.out.println(isRight ? "Nothing was lost, and all was in order." : "SOMETHING IS WRONG");
        return isRight;
    }
}
