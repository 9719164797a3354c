package io.orderedexecutor.sample;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors that Spring finds are {@code application/problem+json}, too; here they learn to say what to do. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

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
        ProblemDetail body =
                ProblemDetail.forStatusAndDetail(status, "'" + e.getPropertyName() + "' must be such as 5s or 500ms.");
        return handleExceptionInternal(e, body, headers, status, request);
    }
}
