package io.orderedexecutor.spring.autoconfigure;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The refusal of a request, with a message for the client and an HTTP status. */
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

    /** The request is not valid. */
    static Refusal badRequest(String message) {
        return new Refusal(WebEndpointResponse.STATUS_BAD_REQUEST, message);
    }

    /** The user may not see or change this. */
    static Refusal forbidden(String message) {
        return new Refusal(STATUS_FORBIDDEN, message);
    }

    /** There is no such executor or key. */
    static Refusal notFound(String message) {
        return new Refusal(WebEndpointResponse.STATUS_NOT_FOUND, message);
    }

    /** The executor or key exists, but its state does not allow this. */
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
