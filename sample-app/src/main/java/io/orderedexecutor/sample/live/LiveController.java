package io.orderedexecutor.sample.live;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.sample.SimulatedDatabase;
import io.orderedexecutor.sample.live.Moment.What;
import io.orderedexecutor.sample.live.Step.Kind;
import io.orderedexecutor.sample.live.Step.Lane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * What the page reads, and what its buttons do: they send steps to the scenes. No request waits for its steps, except
 * the one for the frames.
 */
@RestController
@RequestMapping("/live")
@ResponseStatus(HttpStatus.ACCEPTED)
class LiveController {
    private static final List<String> CLIENTS = List.of("alice", "bob", "carol", "dave");
    private static final int MAX_STEPS = 100;
    private static final int MIN_MILLIS = 100;
    private static final int MAX_MILLIS = 600;

    private final Scenes scenes;
    private final Journal journal;
    private final StripedExecutor executor;

    private final AtomicLong ids = new AtomicLong();

    /** The last number of each key. */
    private final Map<String, Integer> numbers = new HashMap<>();

    LiveController(Scenes scenes, Journal journal, @Qualifier("oneKey") StripedExecutor executor) {
        this.scenes = scenes;
        this.journal = journal;
        this.executor = executor;
    }

    @GetMapping(path = "/moments", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @ResponseStatus(HttpStatus.OK)
    SseEmitter moments() {
        return journal.open();
    }

    @PostMapping("/burst")
    void burst(@RequestParam(defaultValue = "24") int count) {
        IntStream.range(0, checked(count)).forEach(i -> sendToBoth(CLIENTS.get(i % CLIENTS.size()), anyDuration()));
    }

    @PostMapping("/flood")
    void flood(@RequestParam String client, @RequestParam(defaultValue = "30") int count) {
        IntStream.range(0, checked(count)).forEach(i -> sendToBoth(checked(client), MIN_MILLIS));
    }

    @PostMapping("/slow")
    void slow(@RequestParam String client) {
        sendToBoth(checked(client), SimulatedDatabase.MAX_AMOUNT);
    }

    /** Only for {@code @OrderedAsync}: there, a step that fails parks its client. */
    @PostMapping("/fail")
    synchronized void fail(@RequestParam String client) {
        int number = next(checked(client));
        send(step(Lane.STRIPED, List.of(client), number, anyDuration(), Kind.FAILING), scenes::ordered);
    }

    /** As {@code pause} at the endpoint, but also while the client has no steps. */
    @PostMapping("/pause")
    void pause(@RequestParam String client) {
        executor.control().pause(checked(client));
    }

    /** Deposits, transfers and statements. */
    @PostMapping("/bank")
    void bank(@RequestParam(defaultValue = "24") int count) {
        IntStream.range(0, checked(count)).forEach(i -> {
            String from = anyClient();
            String to = anyClient();
            boolean transfers = i % 3 == 0 && !from.equals(to);
            boolean reads = i % 2 == 0 && from.equals(to);
            sendToAccounts(transfers ? List.of(from, to) : List.of(from), reads ? Kind.SHARED : Kind.PLAIN);
        });
    }

    @PostMapping("/transfer")
    void transfer(@RequestParam String from, @RequestParam String to) {
        require(!from.equals(to), "'from' and 'to' must be different.");
        sendToAccounts(List.of(checked(from), checked(to)), Kind.PLAIN);
    }

    /** The answer is sent when all frames are written. */
    @PostMapping("/render")
    @ResponseStatus(HttpStatus.OK)
    void render(@RequestParam(defaultValue = "24") int count) throws InterruptedException {
        List<Step> frames = IntStream.rangeClosed(1, checked(count))
                .mapToObj(number -> step(Lane.OUTPUT, List.of(), number, anyDuration(), Kind.PLAIN))
                .toList();
        frames.forEach(frame -> journal.add(frame, What.QUEUED));
        scenes.render(frames);
    }

    /** The same message to four sessions, each of which does something else if it is busy. */
    @PostMapping("/message")
    void message() {
        sendToSession("collect", step -> scenes.collect("collect", List.of(step)));
        sendToSession("latest", step -> scenes.latest("latest", step));
        sendToSession("interrupt", step -> scenes.interrupt("interrupt", step));
        sendToSession("followup", step -> scenes.followup("followup", step));
    }

    /** The same step to {@code @Async} and to {@code @OrderedAsync}. */
    private synchronized void sendToBoth(String client, int millis) {
        int number = next(client);
        send(step(Lane.ASYNC, List.of(client), number, millis, Kind.PLAIN), scenes::unordered);
        send(step(Lane.STRIPED, List.of(client), number, millis, Kind.PLAIN), scenes::ordered);
    }

    private synchronized void sendToAccounts(List<String> accounts, Kind kind) {
        Step step = step(Lane.GROUPED, accounts, next("all accounts"), anyDuration(), kind);
        send(step, kind == Kind.SHARED ? scenes::read : scenes::change);
    }

    private synchronized void sendToSession(String session, Function<Step, CompletableFuture<Void>> scene) {
        send(step(Lane.BUSY, List.of(session), next(session), MAX_MILLIS, Kind.PLAIN), scene);
    }

    /** The callers hold the lock from the number to the submission: so steps are sent in the order of their numbers. */
    private int next(String key) {
        return numbers.merge(key, 1, Integer::sum);
    }

    private Step step(Lane lane, List<String> keys, int number, int millis, Kind kind) {
        return new Step(ids.incrementAndGet(), lane, keys, number, millis, kind);
    }

    /** A call that is rejected is shown; the others of the same button are sent all the same. */
    private void send(Step step, Function<Step, CompletableFuture<Void>> scene) {
        journal.add(step, What.QUEUED);
        try {
            CompletableFuture<Void> result = scene.apply(step);
            var unused = result.whenComplete((nothing, failure) -> {
                if (failure != null) {
                    journal.add(step, What.CANCELLED);
                }
            });
        } catch (RejectedExecutionException full) {
            journal.add(step, What.REJECTED);
        }
    }

    private static String anyClient() {
        return CLIENTS.get(ThreadLocalRandom.current().nextInt(CLIENTS.size()));
    }

    private static int anyDuration() {
        return ThreadLocalRandom.current().nextInt(MIN_MILLIS, MAX_MILLIS);
    }

    private static int checked(int count) {
        require(count >= 1 && count <= MAX_STEPS, "'count' must be a whole number from 1 to " + MAX_STEPS + ".");
        return count;
    }

    private static String checked(String client) {
        require(CLIENTS.contains(client), "A client must be one of " + String.join(", ", CLIENTS) + ".");
        return client;
    }

    private static void require(boolean condition, String detail) {
        if (!condition) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, detail);
        }
    }
}
