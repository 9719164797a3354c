package io.orderedexecutor.sample.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.orderedexecutor.sample.accounts.Bank;
import io.orderedexecutor.sample.accounts.Event;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.json.JsonMapper;

/**
 * The events of one request. Each is accepted as soon as it is read, so a body may be of any length, and an invalid
 * event holds up no other.
 *
 * <p>The answer says which events were accepted, so that a sender can send again exactly those that were not: the ones
 * listed under {@code errors}, and all from {@code sendAgainFrom} on. If the connection breaks, there is no answer;
 * then the statements of the clients tell how many of their events were accepted, in order.
 */
final class Bulk {
    /** The input is not read any further after so many errors, so that the answer is bounded and lists all of them. */
    static final int MAX_ERRORS = 100;

    private static final String EXAMPLE = "{\"client\":\"alice\",\"type\":\"deposit\",\"amount\":5}";

    private final Bank bank;
    private final Tools tools;
    private final List<EventError> errors = new ArrayList<>();
    private long accepted;

    /** The place of the event that is read. */
    private long place = 1;

    Bulk(Bank bank, Tools tools) {
        this.bank = bank;
        this.tools = tools;
    }

    /** What every request needs. */
    @Component
    record Tools(JsonMapper json, Validator validator, ApplicationAvailability availability) {
        /** Not while the application starts, when its state is unknown, and requests may come already. */
        boolean isShuttingDown() {
            AvailabilityChangeEvent<ReadinessState> last = availability.getLastChangeEvent(ReadinessState.class);
            return last != null && last.getState() == ReadinessState.REFUSING_TRAFFIC;
        }
    }

    /**
     * Accepts all events.
     *
     * @param body JSON objects, one after another
     * @return how many there were, at least one
     * @throws ErrorResponseException if there was none, or if not all were accepted
     */
    long accept(InputStream body) {
        try (MappingIterator<Event> events = tools.json().readerFor(Event.class).readValues(body)) {
            for (; events.hasNextValue(); place++) {
                if (errors.size() >= MAX_ERRORS) {
                    throw stopped(HttpStatus.BAD_REQUEST, "There are too many errors.");
                }
                if (tools.isShuttingDown()) {
                    throw stopped(HttpStatus.SERVICE_UNAVAILABLE, "The application is shutting down.");
                }
                acceptNext(events);
            }
        } catch (JacksonIOException e) {
            boolean timedOut = NestedExceptionUtils.getRootCause(e) instanceof SocketTimeoutException;
            HttpStatus status = timedOut ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.BAD_REQUEST;
            throw stopped(status, "The rest of the body could not be read.");
        } catch (JacksonException e) { // nothing can be read after it, since its end cannot be found
            errors.add(new EventError(place, null, "is not JSON"));
            throw stopped(HttpStatus.BAD_REQUEST, "The body could not be read to its end.");
        }
        if (!errors.isEmpty()) {
            throw problem(
                    HttpStatus.BAD_REQUEST,
                    "The events listed under 'errors' were not accepted. All others (" + accepted
                            + ") were accepted and will be processed. Correct the listed ones, and send only those"
                            + " again.");
        }
        if (accepted == 0) {
            throw problem(HttpStatus.BAD_REQUEST, "The body is empty. Send one event on each line, such as " + EXAMPLE);
        }
        return accepted;
    }

    private void acceptNext(MappingIterator<Event> events) {
        try {
            Event event = events.nextValue();
            Set<ConstraintViolation<Event>> violations = tools.validator().validate(event);
            violations.forEach(wrong ->
                    errors.add(new EventError(place, wrong.getPropertyPath().toString(), wrong.getMessage())));
            if (violations.isEmpty()) {
                bank.accept(event);
                accepted++;
            }
        } catch (DatabindException | InputCoercionException e) { // the iterator goes on with the next event
            String field = e.getPath().isEmpty() ? null : e.getPath().get(0).getPropertyName();
            errors.add(new EventError(place, field, "is not as in an event such as " + EXAMPLE));
        } catch (RejectedExecutionException e) {
            throw stopped(HttpStatus.SERVICE_UNAVAILABLE, "Too many events are pending.");
        }
    }

    private ErrorResponseException stopped(HttpStatus status, String why) {
        ErrorResponseException problem = problem(
                status,
                why + " No event from number " + place + " on was accepted, nor were those listed under 'errors'. All"
                        + " others (" + accepted + ") were accepted and will be processed. Correct the listed ones, and"
                        + " send those and all from number " + place + " on again.");
        problem.getBody().setProperty("sendAgainFrom", place);
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

    /**
     * Why an event was not accepted.
     *
     * @param event its place in the body, from 1; its line if each event has one of its own
     * @param field the field that is wrong; null if it is the whole event
     * @param reason what is wrong, and what would be right
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record EventError(long event, @Nullable String field, String reason) {}
}
