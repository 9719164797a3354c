package io.orderedexecutor.spring.autoconfigure;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** What is wrong with a request, for the one who made it, and the HTTP status that says so to programs. */
final class Refusal extends InvalidEndpointRequestException {
    private static final long serialVersionUID = 1L;
    private static final int STATUS_FORBIDDEN = 403;
    private static final int STATUS_CONFLICT = 409;

    private final String message;
    private final int status;

    private Refusal(int status, String message) {
        super(message, message);
        this.message = message;
        this.status = status;
    }

    /** The request makes no sense. */
    static Refusal badRequest(String message) {
        return new Refusal(WebEndpointResponse.STATUS_BAD_REQUEST, message);
    }

    /** The one who asks may not see it. */
    static Refusal forbidden(String message) {
        return new Refusal(STATUS_FORBIDDEN, message);
    }

    /** There is no such thing. */
    static Refusal notFound(String message) {
        return new Refusal(WebEndpointResponse.STATUS_NOT_FOUND, message);
    }

    /** There is, but not in a state in which this can be done. */
    static Refusal conflict(String message) {
        return new Refusal(STATUS_CONFLICT, message);
    }

    String message() {
        return message;
    }

    int status() {
        return status;
    }
}
