package io.orderedexecutor.sample;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Input that was not accepted, or not all of it. Spring's own handling makes {@code application/problem+json} of it.
 */
final class BadInputException extends ErrorResponseException {
    private static final long serialVersionUID = 1;

    BadInputException(HttpStatus status, String detail) {
        super(status, ProblemDetail.forStatusAndDetail(status, detail), null);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            getHeaders().set("Retry-After", "1");
        }
    }

    static BadInputException empty(String whatToDo) {
        return new BadInputException(HttpStatus.BAD_REQUEST, "The body is empty: " + whatToDo + ".");
    }

    /** Returns what to answer if the body cannot be read to its end. */
    static HttpStatus statusOf(IOException e) {
        boolean stalled = e instanceof SocketTimeoutException || e.getCause() instanceof SocketTimeoutException;
        return stalled ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.BAD_REQUEST;
    }

    /** Adds a property to the answer. */
    BadInputException with(String property, Object value) {
        getBody().setProperty(property, value);
        return this;
    }
}
