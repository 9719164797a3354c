package io.orderedexecutor.sample.live;

import io.orderedexecutor.StripedExecutor;
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

/** What the page reads, and what its buttons do. No request waits for its steps, except the one for the frames. */
@RestController
@RequestMapping("/live")
@ResponseStatus(HttpStatus.ACCEPTED)
class LiveController {
    private static final int MAX_STEPS = 100;

    private final Steps steps;
    private final Browsers browsers;
    private final StripedExecutor executor;

    LiveController(Steps steps, Browsers browsers, @Qualifier("oneKey") StripedExecutor executor) {
        this.steps = steps;
        this.browsers = browsers;
        this.executor = executor;
    }

    @GetMapping(path = "/moments", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @ResponseStatus(HttpStatus.OK)
    SseEmitter moments() {
        return browsers.open();
    }

    @PostMapping("/burst")
    void burst(@RequestParam(defaultValue = "24") int count) {
        steps.burst(checked(count));
    }

    @PostMapping("/flood")
    void flood(@RequestParam String client, @RequestParam(defaultValue = "30") int count) {
        steps.flood(checked(client), checked(count));
    }

    @PostMapping("/slow")
    void slow(@RequestParam String client) {
        steps.slow(checked(client));
    }

    @PostMapping("/fail")
    void fail(@RequestParam String client) {
        steps.fail(checked(client));
    }

    /** As {@code pause} at the endpoint, but also while the client has no steps. */
    @PostMapping("/pause")
    void pause(@RequestParam String client) {
        executor.control().pause(checked(client));
    }

    @PostMapping("/bank")
    void bank(@RequestParam(defaultValue = "24") int count) {
        steps.bank(checked(count));
    }

    @PostMapping("/transfer")
    void transfer(@RequestParam String from, @RequestParam String to) {
        if (from.equals(to)) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'from' and 'to' must be different.");
        }
        steps.transfer(checked(from), checked(to));
    }

    @PostMapping("/render")
    @ResponseStatus(HttpStatus.OK)
    void render(@RequestParam(defaultValue = "24") int count) throws InterruptedException {
        steps.render(checked(count));
    }

    @PostMapping("/message")
    void message() {
        steps.message();
    }

    private static int checked(int count) {
        if (count < 1 || count > MAX_STEPS) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "'count' must be a whole number from 1 to " + MAX_STEPS + ".");
        }
        return count;
    }

    private static String checked(String client) {
        if (!Steps.CLIENTS.contains(client)) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "A client must be one of " + String.join(", ", Steps.CLIENTS) + ".");
        }
        return client;
    }
}
