package io.orderedexecutor.sample;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors that Spring finds are {@code application/problem+json}, too; here they learn to say what to do. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    private static final String TOO_LATE = Problems.class.getName() + ".TOO_LATE";

    /**
     * Tomcat decides that there will be an error page as soon as a body cannot be read; from then on nothing else is
     * written. So it is on that page that the problem must be told.
     */
    @Override
    protected @Nullable ResponseEntity<Object> handleErrorResponseException(
            ErrorResponseException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (request instanceof ServletWebRequest servlet
                && servlet.getResponse() != null
                && servlet.getResponse().isCommitted()) {
            request.setAttribute(TOO_LATE, e.getBody(), RequestAttributes.SCOPE_REQUEST);
            return null;
        }
        return super.handleErrorResponseException(e, headers, status, request);
    }

    /** The page for errors that are found outside of Spring, or were told too late. */
    @RestController
    static class Page implements ErrorController {

        @RequestMapping("/error")
        ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
            if (request.getAttribute(TOO_LATE) instanceof ProblemDetail problem) {
                return ResponseEntity.of(problem).build();
            }
            int status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
                    ? code
                    : HttpStatus.NOT_FOUND.value();
            return ResponseEntity.of(ProblemDetail.forStatus(status)).build();
        }
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMediaTypeNotSupported(
            HttpMediaTypeNotSupportedException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail body = e.getBody();
        body.setDetail("Nothing was accepted. Send "
                + e.getSupportedMediaTypes().stream().map(MediaType::toString).collect(Collectors.joining(" or "))
                + " and name it in the header Content-Type.");
        return handleExceptionInternal(e, body, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (e.getRequiredType() != Duration.class) {
            return super.handleTypeMismatch(e, headers, status, request);
        }
        ProblemDetail body =
                ProblemDetail.forStatusAndDetail(status, "'" + e.getPropertyName() + "' must be such as 5s or 500ms.");
        return handleExceptionInternal(e, body, headers, status, request);
    }
}
