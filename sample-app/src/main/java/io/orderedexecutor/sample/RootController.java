package io.orderedexecutor.sample;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells who looks at the root where to go on. */
@RestController
class RootController {

    @GetMapping(path = "/", produces = MediaType.APPLICATION_JSON_VALUE)
    Links links() {
        return new Links(
                "/events", "/unordered/events", "/transfers", "/actuator/orderedexecutors", "/actuator/metrics");
    }

    /**
     * The answer.
     *
     * @param ordered where to post events that are processed in order
     * @param unordered where to post events that are processed in any order
     * @param transfers where to post transfers between savings accounts
     * @param executors what the executors do
     * @param metrics what is measured
     */
    record Links(String ordered, String unordered, String transfers, String executors, String metrics) {}
}
