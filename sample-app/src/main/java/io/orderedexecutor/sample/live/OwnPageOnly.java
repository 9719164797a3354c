package io.orderedexecutor.sample.live;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Lets a page of another origin press no button: a browser says where a request comes from. Programs such as
 * {@code curl} do not, and may.
 */
@Component
class OwnPageOnly implements WebMvcConfigurer, HandlerInterceptor {

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/live/**");
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin != null && !authority(origin).equals(request.getHeader(HttpHeaders.HOST))) {
            throw new ResponseStatusException(HttpStatus.FORBIDDEN, "This is for the page of this application only.");
        }
        return true;
    }

    private static String authority(String origin) {
        var uri = UriComponentsBuilder.fromUriString(origin).build();
        return uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }
}
