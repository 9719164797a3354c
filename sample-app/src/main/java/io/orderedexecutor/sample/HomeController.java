package io.orderedexecutor.sample;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows where to go from the root. */
@RestController
class HomeController {

    @GetMapping(path = "/", produces = MediaType.APPLICATION_JSON_VALUE)
    Links links() {
        return new Links(
                "/events",
                "/unordered/events",
                "/transfers",
                "/savings",
                "/animation",
                "/actuator/orderedexecutors",
                "/actuator/metrics");
    }

    /**
     * The links.
     *
     * @param ordered where to post events that are processed in order
     * @param unordered where to post events that are processed in any order
     * @param transfers where to post transfers between savings accounts
     * @param savings the total of all savings accounts
     * @param animation an animation whose frames are rendered in parallel
     * @param executors what the executors do
     * @param metrics what is measured
     */
    record Links(
            String ordered,
            String unordered,
            String transfers,
            String savings,
            String animation,
            String executors,
            String metrics) {}
}
