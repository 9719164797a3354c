package io.orderedexecutor.sample.report;

import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.sample.SimulatedDatabase;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Streams a report: {@code curl -N 'localhost:8080/report?slow=50'}. However long it is, no more rows are in memory
 * than the executor's window allows; a reader that is slow slows the work down, and one that goes away ends it.
 */
@RestController
class ReportController {
    private static final int MAX_ROWS = 10_000;

    private final OrderedOutputExecutor executor;
    private final SimulatedDatabase database;

    ReportController(OrderedOutputExecutor executor, SimulatedDatabase database) {
        this.executor = executor;
        this.database = database;
    }

    /** The row {@code slow}, counted from 0, takes a second. */
    @GetMapping("/report")
    ResponseEntity<StreamingResponseBody> report(
            @RequestParam(defaultValue = "100") int rows,
            @RequestParam(defaultValue = "-1") int slow,
            HttpServletResponse response) {
        if (rows < 1 || rows > MAX_ROWS) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "'rows' must be a whole number from 1 to " + MAX_ROWS + ".");
        }
        return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(sink -> send(rows, slow, sink, response));
    }

    private void send(int rows, int slow, OutputStream sink, HttpServletResponse response) throws IOException {
        try (Stream<String> lines = executor.map(IntStream.range(0, rows).boxed(), row -> row(row, slow))) {
            for (String line : (Iterable<String>) lines::iterator) { // in order, whichever was worked out first
                sink.write(line.getBytes(StandardCharsets.US_ASCII));
                response.flushBuffer(); // Spring ignores sink.flush()
            }
        }
    }

    private String row(int number, int slow) {
        database.write(number == slow ? SimulatedDatabase.MAX_AMOUNT : 20);
        return "row " + number + "\n";
    }
}
