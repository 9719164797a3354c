package io.orderedexecutor.sample;

import org.springframework.stereotype.Component;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses what a page of another origin sends, even a form: without a login, nothing tells whose form it is. A browser
 * names the origin of a request; programs such as {@code curl} do not, and may send.
 */
@Component
class OwnPageOnly implements WebMvcConfigurer {

    @Override
    public void addCorsMappings(CorsRegistry registry) {
        registry.addMapping("/**").allowedOrigins(); // none but its own
    }
}
