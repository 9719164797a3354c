package io.orderedexecutor.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.springframework.http.HttpStatus;

/**
 * Events as they come in, one a line. Each good line is accepted as soon as it is read, so a bulk may be larger than the
 * memory; a bad line holds up no other.
 *
 * <p>What makes a retry safe is that the answer tells, of every line, whether it was accepted: the ones listed under
 * {@code errors} were not, the ones from {@code sendAgainFromLine} on were not, all others were. Whoever sends again just
 * those loses nothing and runs nothing twice. If the connection breaks before the answer, {@code pending} and
 * {@code processed} of each client tell how many of its lines were accepted: they are accepted in order.
 */
final class Bulk {
    /** After so many bad lines the rest is not looked at, so that the answer stays bounded and can name each of them. */
    static final int MAX_ERRORS = 100;

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
    long accept(LineReader lines) throws IOException {
        while (lines.next()) {
            if (errors.size() >= MAX_ERRORS) {
                throw stopped(lines, HttpStatus.BAD_REQUEST, "There are too many bad lines.");
            }
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
        if (!errors.isEmpty()) {
            throw new BadInputException(
                            HttpStatus.BAD_REQUEST,
                            "Of the lines listed under 'errors' none was accepted. " + others("")
                                    + " Mend the listed lines and send only those again.")
                    .with("accepted", accepted)
                    .with("errors", errors);
        }
        if (accepted == 0) {
            throw BadInputException.empty("send one event a line, such as "
                    + "{\"client\":\"alice\",\"type\":\"deposit\",\"coins\":5}");
        }
        return accepted;
    }

    private BadInputException stopped(LineReader lines, HttpStatus status, String why) throws IOException {
        long from = lines.number();
        // Read and dropped: a sender that is still sending would not see the answer.
        while (lines.next()) {}
        return new BadInputException(
                        status,
                        why + " Line " + from + " and all after it were not accepted, and neither were those listed under"
                                + " 'errors'. " + others(" before it")
                                + " Send again line " + from + " and all after it, and the listed ones when they are mended.")
                .with("accepted", accepted)
                .with("errors", errors)
                .with("sendAgainFromLine", from);
    }

    private String others(String where) {
        return "The other " + accepted + where + " were accepted and will be processed once.";
    }
}
