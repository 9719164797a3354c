package io.orderedexecutor.sample;

import org.springframework.stereotype.Component;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.filter.CorsFilter;

/**
 * Refuses what a page of another origin sends, even a form: without a login, nothing tells whose form it is. A filter
 * does so for the actuator, too. A browser names the origin of a request. Programs such as {@code curl} do not, and may
 * send what they like.
 */
@Component
class OwnPageOnly extends CorsFilter {

    OwnPageOnly() {
        super(request -> new CorsConfiguration()); // allows no origin but its own
    }
}
