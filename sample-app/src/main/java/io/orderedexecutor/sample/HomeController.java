package io.orderedexecutor.sample;

import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

/** Shows where to go from the root, to a person or a program. */
@RestController
class HomeController {
    private static final Links LINKS = new Links(
            "/events",
            "/unordered/events",
            "/transfers",
            "/savings",
            "/animation",
            "/actuator/orderedexecutors",
            "/actuator/metrics");

    /** A browser gets the page, everything else the links. */
    @GetMapping("/")
    Object home(
            @RequestHeader(name = HttpHeaders.ACCEPT, defaultValue = MediaType.ALL_VALUE) List<MediaType> accepted) {
        boolean browser =
                accepted.stream().anyMatch(type -> !type.isWildcardType() && type.includes(MediaType.TEXT_HTML));
        return browser ? new ModelAndView("forward:/index.html") : LINKS;
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
