package io.orderedexecutor.sample;

import org.springframework.stereotype.Component;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Lets a page of another origin send nothing, not even a form: there is no login that would tell whose form it is. A
 * browser says where a request comes from. Programs such as {@code curl} do not, and may send.
 */
@Component
class OwnPageOnly implements WebMvcConfigurer {

    @Override
    public void addCorsMappings(CorsRegistry registry) {
        registry.addMapping("/**").allowedOrigins(); // none but its own
    }
}
