package io.orderedexecutor.sample.animation;

import io.orderedexecutor.OrderedOutputExecutor;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * The HTTP side of the film. However long it is, no more pictures are in memory than the window of the executor says; a
 * browser that reads slowly slows the drawing down, and one that goes away ends it.
 */
@RestController
class AnimationController {
    private static final int MAX_FRAMES = 1000;
    private static final Duration DELAY = Duration.ofMillis(40);

    private final OrderedOutputExecutor executor;

    AnimationController(OrderedOutputExecutor executor) {
        this.executor = executor;
    }

    /**
     * Sends a film.
     *
     * @param frames how many pictures it has
     * @param slow the number of a picture that takes very long to draw, from 0 on; none if negative
     */
    @GetMapping("/animation")
    ResponseEntity<StreamingResponseBody> animation(
            @RequestParam(defaultValue = "100") int frames, @RequestParam(defaultValue = "-1") int slow) {
        if (frames < 1 || frames > MAX_FRAMES) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "'frames' must be a whole number from 1 to " + MAX_FRAMES + ".");
        }
        Film film = new Film(frames, slow);
        return ResponseEntity.ok().contentType(MediaType.IMAGE_GIF).body(sink -> send(film, sink));
    }

    private void send(Film film, OutputStream sink) throws IOException {
        try (GifStream gif = new GifStream(sink, DELAY)) {
            executor.forEach(
                    IntStream.range(0, film.frames()).iterator(), // read by this thread
                    film::draw, // in parallel
                    picture -> write(gif, picture)); // in order
            gif.end();
        } catch (UncheckedIOException gone) {
            throw gone.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the browser went away, or the application ends");
        }
    }

    private static void write(GifStream gif, BufferedImage picture) {
        try {
            gif.write(picture);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
