package io.orderedexecutor.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;

/**
 * Events as they come in, one a line. Each good line is accepted as soon as it is read, so a bulk may be larger than
 * the memory; a bad line holds up no other.
 *
 * <p>What makes a retry safe is that the answer tells, of every line, whether it was accepted: the ones listed under
 * {@code errors} were not, the ones from {@code sendAgainFromLine} on were not, all others were. Whoever sends again
 * just those loses nothing and runs nothing twice. A body that stalls or is malformed is answered so, too. Only if the
 * connection breaks before the answer there is none; then {@code pending} and {@code processed} of each client tell how
 * many of its lines were accepted: they are accepted in order.
 */
final class Bulk {
    /**
     * After so many bad lines the rest is not looked at, so that the answer stays bounded and can name each of them.
     */
    static final int MAX_ERRORS = 100;

    private static final Logger LOGGER = LoggerFactory.getLogger(Bulk.class);

    private final Desk desk;
    private final List<LineError> errors = new ArrayList<>();
    private long accepted;

    Bulk(Desk desk) {
        this.desk = desk;
    }

    /**
     * Accepts the good lines; blank ones do not count.
     *
     * @return how many there were
     * @throws BadInputException if some lines were not accepted
     */
    long accept(LineReader lines) {
        try {
            while (lines.next()) {
                if (errors.size() >= MAX_ERRORS) {
                    throw stopped(lines, HttpStatus.BAD_REQUEST, "There are too many bad lines.");
                }
                acceptLine(lines);
            }
        } catch (IOException e) {
            LOGGER.info("The bulk broke off in line {}; {} before it were accepted", lines.number(), accepted);
            throw stopped(lines, BadInputException.statusOf(e), "The rest of the body could not be read.");
        }
        if (!errors.isEmpty()) {
            throw new BadInputException(
                            HttpStatus.BAD_REQUEST,
                            "The lines listed under 'errors' were not accepted. All others were, " + accepted
                                    + " in number, and will be processed once."
                                    + " Mend the listed lines and send only those again.")
                    .with("accepted", accepted)
                    .with("errors", errors);
        }
        if (accepted == 0) {
            throw BadInputException.empty(
                    "send one event a line, such as {\"client\":\"alice\",\"type\":\"deposit\",\"coins\":5}");
        }
        return accepted;
    }

    private void acceptLine(LineReader lines) {
        try {
            String text = lines.text();
            if (!text.isBlank()) {
                desk.accept(EventParser.parse(lines.number(), text));
                accepted++;
            }
        } catch (BadEventException e) {
            errors.addAll(e.errors());
        } catch (RejectedExecutionException e) {
            throw stopped(lines, HttpStatus.SERVICE_UNAVAILABLE, "There is no room: " + e.getMessage() + ".");
        }
    }

    private BadInputException stopped(LineReader lines, HttpStatus status, String why) {
        return new BadInputException(
                        status,
                        why + " Line " + lines.number()
                                + " and all after it were not looked at, and the lines listed under"
                                + " 'errors' were not accepted. All others were, " + accepted
                                + " in number, and will be processed once."
                                + " Mend the listed lines and send only those and the ones not looked at again.")
                .with("accepted", accepted)
                .with("errors", errors)
                .with("sendAgainFromLine", lines.number());
    }
}
