package io.orderedexecutor.sample.events;

import io.orderedexecutor.sample.accounts.Bank;
import io.orderedexecutor.sample.accounts.Event;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;

/**
 * The events of one request. Each is accepted as soon as it is read, and an invalid one holds up no other.
 *
 * <p>The answer says of every line whether it was accepted, so that a sender can send again exactly those that were
 * not: the ones listed under {@code errors}, and all from {@code sendAgainFromLine} on. Only if the connection breaks
 * there is no answer; then the statements of the clients tell how many of their events were accepted, in order.
 */
final class Bulk {
    /** The input is not read any further after so many errors, so that the answer is bounded and lists all of them. */
    static final int MAX_ERRORS = 100;

    private final Bank bank;
    private final BooleanSupplier isShuttingDown;
    private final List<LineError> errors = new ArrayList<>();
    private long accepted;

    Bulk(Bank bank, BooleanSupplier isShuttingDown) {
        this.bank = bank;
        this.isShuttingDown = isShuttingDown;
    }

    /**
     * Accepts all events.
     *
     * @return how many there were, at least one
     * @throws ErrorResponseException if there was none, or if not all were accepted
     */
    long accept(EventStream events) {
        try {
            while (events.next()) {
                acceptEvent(events);
            }
        } catch (JacksonIOException e) {
            boolean timedOut = NestedExceptionUtils.getRootCause(e) instanceof SocketTimeoutException;
            HttpStatus status = timedOut ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.BAD_REQUEST;
            throw stopped(status, "The rest of the body could not be read.", events.firstLineNotRead());
        } catch (JacksonException e) {
            errors.add(events.notJson(e));
            throw stopped(HttpStatus.BAD_REQUEST, "The body could not be read to its end.", events.firstLineNotRead());
        }
        if (!errors.isEmpty()) {
            throw problem(
                    HttpStatus.BAD_REQUEST,
                    "The lines listed under 'errors' were not accepted. All other events (" + accepted
                            + ") were accepted and will be processed. Correct the listed lines, and send only those "
                            + "again.");
        }
        if (accepted == 0) {
            throw problem(
                    HttpStatus.BAD_REQUEST,
                    "The body is empty. Send one event on each line, such as"
                            + " {\"client\":\"alice\",\"type\":\"deposit\",\"amount\":5}");
        }
        return accepted;
    }

    private void acceptEvent(EventStream events) {
        if (errors.size() >= MAX_ERRORS && events.isOnNewLine()) {
            throw stopped(HttpStatus.BAD_REQUEST, "There are too many errors.", events.line());
        }
        try {
            Event event = events.event();
            if (isShuttingDown.getAsBoolean()) {
                throw stopped(HttpStatus.SERVICE_UNAVAILABLE, "The application is shutting down.", events.line());
            }
            bank.accept(event);
            accepted++;
        } catch (InvalidEventException e) {
            addErrors(e.errors());
        } catch (RejectedExecutionException e) {
            throw stopped(HttpStatus.SERVICE_UNAVAILABLE, "Too many events are pending.", events.line());
        }
    }

    /** Adds errors, but not the same twice: many events on one line are one error. */
    private void addErrors(List<LineError> more) {
        if (errors.isEmpty() || !more.get(more.size() - 1).equals(errors.get(errors.size() - 1))) {
            errors.addAll(more);
        }
    }

    private ErrorResponseException stopped(HttpStatus status, String why, int line) {
        ErrorResponseException problem = problem(
                status,
                why + " Nothing from line " + line
                        + " on was accepted, nor were the lines listed under 'errors'. All other"
                        + " events (" + accepted
                        + ") were accepted and will be processed. Correct the listed lines, and"
                        + " send those and all from line " + line + " on again.");
        problem.getBody().setProperty("sendAgainFromLine", line);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            problem.getHeaders().set(HttpHeaders.RETRY_AFTER, "1");
        }
        return problem;
    }

    private ErrorResponseException problem(HttpStatus status, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
        body.setProperty("accepted", accepted);
        body.setProperty("errors", errors);
        return new ErrorResponseException(status, body, null);
    }
}
