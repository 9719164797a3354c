package io.orderedexecutor.sample.events;

import io.orderedexecutor.sample.accounts.Bank;
import io.orderedexecutor.sample.accounts.Event;
import io.orderedexecutor.sample.accounts.Statement;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The HTTP side of a bank, the same for both. The mappings say what they produce, so that a sender that would not take
 * the answer is refused before anything is accepted.
 */
abstract class EventsController {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private final String path;
    private final Bank bank;
    private final Bulk.Tools tools;

    EventsController(String path, Bank bank, Bulk.Tools tools) {
        this.path = path;
        this.bank = bank;
        this.tools = tools;
    }

    /** Each client's events in order. */
    @RestController
    @RegisterReflectionForBinding({Event.class, Bulk.EventError.class}) // nothing else tells a native image of them
    static class Ordered extends EventsController {
        Ordered(Bank orderedBank, Bulk.Tools tools) {
            super("", orderedBank, tools);
        }
    }

    /** The same events, in any order. */
    @RestController
    @RequestMapping("/unordered")
    static class Unordered extends EventsController {
        Unordered(Bank unorderedBank, Bulk.Tools tools) {
            super("/unordered", unorderedBank, tools);
        }
    }

    /** Accepts events of any clients, one on each line; see {@link Bulk} for invalid ones. */
    @PostMapping(
            path = "/events",
            consumes = {MediaType.APPLICATION_NDJSON_VALUE, MediaType.APPLICATION_JSON_VALUE},
            produces = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    Accepted accept(InputStream body) {
        return new Accepted(new Bulk(bank, tools).accept(body), path + "/clients/{client}/events");
    }

    /** Shows a client's statement, after a wait of at most {@code wait} for the events that were accepted so far. */
    @GetMapping(path = "/clients/{client}/events", produces = MediaType.APPLICATION_JSON_VALUE)
    CompletableFuture<Statement> statement(
            @PathVariable String client,
            @RequestParam(defaultValue = "0s") @DurationFormat(style = DurationFormat.Style.SIMPLE) Duration wait) {
        if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "'wait' must be from 0s to " + MAX_WAIT.toSeconds() + "s.");
        }
        return bank.statement(client, wait)
                .orElseThrow(() -> new ResponseStatusException(
                        HttpStatus.NOT_FOUND,
                        "There is no account of this client. Post an event of the client to " + path + "/events."));
    }

    /** How many events were accepted, and where to see those of a client. */
    record Accepted(long accepted, String events) {}
}
