package io.orderedexecutor.sample;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.autoconfigure.error.AbstractErrorController;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.ServletWebRequest;

/**
 * The error page. If Tomcat cannot read the body of a request, it shows this page and nothing else; the page then
 * repeats the answer of the controller.
 */
@RestController
class ProblemPage extends AbstractErrorController {
    private final ErrorAttributes errors;

    ProblemPage(ErrorAttributes errors) {
        super(errors);
        this.errors = errors;
    }

    @RequestMapping("/error")
    ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
        Throwable error = errors.getError(new ServletWebRequest(request));
        ProblemDetail problem = error instanceof ErrorResponse response
                ? response.getBody()
                : ProblemDetail.forStatus(getStatus(request));
        return ResponseEntity.of(problem).build();
    }
}
