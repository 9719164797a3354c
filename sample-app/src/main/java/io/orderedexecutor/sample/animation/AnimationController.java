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
 * Streams the animation. However long it is, no more frames are in memory than the executor's window allows; a browser
 * that reads slowly slows the rendering down, and one that goes away ends it.
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
     * Streams an animation.
     *
     * @param frames how many frames it has
     * @param slow the number of a frame that takes very long to render, from 0 on; none if negative
     */
    @GetMapping("/animation")
    ResponseEntity<StreamingResponseBody> animation(
            @RequestParam(defaultValue = "100") int frames, @RequestParam(defaultValue = "-1") int slow) {
        if (frames < 1 || frames > MAX_FRAMES) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "'frames' must be a whole number from 1 to " + MAX_FRAMES + ".");
        }
        Animation animation = new Animation(frames, slow);
        return ResponseEntity.ok().contentType(MediaType.IMAGE_GIF).body(sink -> send(animation, sink));
    }

    private void send(Animation animation, OutputStream sink) throws IOException {
        try (GifWriter gif = new GifWriter(sink, DELAY)) {
            executor.forEach(
                    IntStream.range(0, animation.frames()).iterator(), // read by this thread
                    animation::render, // in parallel
                    frame -> write(gif, frame)); // in order
            gif.end();
        } catch (UncheckedIOException gone) {
            throw gone.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the browser went away, or the application ends");
        }
    }

    private static void write(GifWriter gif, BufferedImage frame) {
        try {
            gif.write(frame);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
