package io.orderedexecutor.sample;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The HTTP side of a desk, the same for both modes. The mappings say what they produce, so that a sender that would not
 * take the answer is refused before anything is accepted.
 */
abstract class EventsController {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private final String path;
    private final Desk desk;
    private final int lineBytes;

    EventsController(String path, Desk desk, SampleProperties properties) {
        this.path = path;
        this.desk = desk;
        this.lineBytes = properties.lineBytes();
    }

    /** Each client's events in order. */
    @RestController
    static class Ordered extends EventsController {
        Ordered(Desk orderedDesk, SampleProperties properties) {
            super("", orderedDesk, properties);
        }
    }

    /** The same events, in any order. */
    @RestController
    @RequestMapping("/unordered")
    static class Unordered extends EventsController {
        Unordered(Desk unorderedDesk, SampleProperties properties) {
            super("/unordered", unorderedDesk, properties);
        }
    }

    /** Accepts one event. */
    @PostMapping(
            path = "/clients/{client}/events",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Accepted> accept(@PathVariable String client, InputStream body) {
        LineReader lines = new LineReader(body, lineBytes);
        try {
            lines.rest();
            String text = lines.text();
            if (text.isBlank()) {
                throw BadInputException.empty("send an event, such as {\"type\":\"deposit\",\"coins\":5}");
            }
            long number = desk.accept(EventParser.parse(lines.number(), text, client));
            String events = path + "/clients/" + client + "/events";
            return ResponseEntity.accepted().location(URI.create(events)).body(new Accepted(client, number, events));
        } catch (IOException e) {
            throw notAccepted(BadInputException.statusOf(e), "The body could not be read to its end. Send it again.");
        } catch (BadEventException e) {
            throw notAccepted(HttpStatus.BAD_REQUEST, "Mend it and send it again.")
                    .with("errors", e.errors());
        } catch (RejectedExecutionException e) {
            throw notAccepted(HttpStatus.SERVICE_UNAVAILABLE, "There is no room: " + e.getMessage() + ". Try again.");
        }
    }

    private static BadInputException notAccepted(HttpStatus status, String whatToDo) {
        return new BadInputException(status, "The event was not accepted. " + whatToDo);
    }

    /** Accepts many events of any clients, one a line; see {@link Bulk} for what happens to bad ones. */
    @PostMapping(
            path = "/events",
            consumes = MediaType.APPLICATION_NDJSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<BulkAccepted> accept(InputStream body) {
        long accepted = new Bulk(desk).accept(new LineReader(body, lineBytes));
        return ResponseEntity.accepted().body(new BulkAccepted(accepted, path + "/clients/{client}/events"));
    }

    /**
     * Shows a client's events in the order in which they were processed.
     *
     * @param wait for how long to wait for those that are pending
     */
    @GetMapping(path = "/clients/{client}/events", produces = MediaType.APPLICATION_JSON_VALUE)
    CompletableFuture<Account.State> read(
            @PathVariable String client,
            @RequestParam(defaultValue = "0s") @DurationFormat(style = DurationFormat.Style.SIMPLE) Duration wait) {
        if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
            throw new BadInputException(
                    HttpStatus.BAD_REQUEST, "'wait' must be from 0s to " + MAX_WAIT.toSeconds() + "s.");
        }
        return desk.read(client, wait)
                .orElseThrow(() -> new BadInputException(
                        HttpStatus.NOT_FOUND,
                        "Nothing is known of this client. Send an event of it to " + path + "/events."));
    }

    /**
     * The answer to one event.
     *
     * @param client whose it is
     * @param number the place in which it was received
     * @param events where to read it back
     */
    record Accepted(String client, long number, String events) {}

    /**
     * The answer to a bulk.
     *
     * @param accepted how many events were accepted
     * @param events where to read those of a client back
     */
    record BulkAccepted(long accepted, String events) {}
}
