package io.orderedexecutor.sample;

import java.util.concurrent.RejectedExecutionException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A call for which an executor has no room is answered with 503, and the request to try again. */
@RestControllerAdvice
class BusyAdvice {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(RejectedExecutionException e) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE,
                "Nothing was done: too many calls are waiting, or the application is shutting down. Try again.");
        return ResponseEntity.of(problem).header(HttpHeaders.RETRY_AFTER, "1").build();
    }
}
