package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.TaskRefusedException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class OrderedCallProblems {
    @ExceptionHandler({RejectedExecutionException.class, CancellationException.class})
    ProblemDetail notDone() {
        return ProblemDetail.forStatus(HttpStatus.SERVICE_UNAVAILABLE);
    }

    @ExceptionHandler(TaskRefusedException.class) // a CancellationException, too
    ProblemDetail busy() {
        return ProblemDetail.forStatus(HttpStatus.CONFLICT);
    }
}
