package io.orderedexecutor.sample.animation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.OrderedOutputExecutor;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The animation that is rendered in parallel and streamed in order. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "ordered-executor.ordered-output.orderedOutputExecutor.window=5")
class AnimationTest {
    private static final int FRAMES = 40;

    private final HttpClient client = HttpClient.newHttpClient();

    @LocalServerPort
    int port;

    @Autowired
    OrderedOutputExecutor executor;

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, FRAMES - 1})
    void framesComeInOrderWhicheverIsSlow(int slow) throws Exception {
        long before = executor.stats().completed();
        HttpResponse<byte[]> gif = client.send(
                request("/animation?frames=" + FRAMES + "&slow=" + slow), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(gif.statusCode()).isEqualTo(200);
        assertThat(gif.headers().firstValue("Content-Type")).contains("image/gif");
        Animation expected = new Animation(FRAMES, slow);
        assertThat(barsOf(gif.body()))
                .isEqualTo(IntStream.range(0, FRAMES)
                        .map(expected::barWidth)
                        .boxed()
                        .toList());
        assertThat(executor.stats().completed() - before).isEqualTo(FRAMES);
    }

    @Test
    void browserThatGoesAwayEndsTheRendering() throws Exception {
        long notWritten = notWritten();
        try (Socket browser = new Socket("localhost", port)) {
            browser.setSoLinger(true, 0); // its close is a reset
            browser.getOutputStream()
                    .write("GET /animation?frames=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(browser.getInputStream().read()).isEqualTo('H');
        }
        // either a write fails, or Spring, told of the reset first, interrupts the thread that reads the frames
        await("the end of the rendering").atMost(Duration.ofSeconds(30)).until(() -> notWritten() > notWritten);
        assertThat(executor.drain(Duration.ofSeconds(30))).isTrue();
        assertThat(executor.stats().outputs()).isZero();
    }

    @Test
    void animationWithoutFramesIsRefused() throws Exception {
        HttpResponse<String> answer = client.send(request("/animation?frames=0"), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("'frames' must be a whole number from 1 to 1000.");
    }

    private long notWritten() {
        return executor.stats().failed() + executor.stats().cancelled();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .build();
    }

    private static List<Integer> barsOf(byte[] gif) throws IOException {
        List<Integer> bars = new ArrayList<>();
        ImageReader reader = ImageIO.getImageReadersByFormatName("gif").next();
        try (ImageInputStream stream = ImageIO.createImageInputStream(new ByteArrayInputStream(gif))) {
            reader.setInput(stream);
            int frames = reader.getNumImages(true);
            for (int i = 0; i < frames; i++) {
                bars.add(barOf(reader.read(i)));
            }
        } finally {
            reader.dispose();
        }
        return bars;
    }

    private static int barOf(BufferedImage frame) {
        int y = JuliaSet.HEIGHT - Animation.BAR_HEIGHT / 2;
        int x = 0;
        while (x < JuliaSet.WIDTH && (frame.getRGB(x, y) & 0xFFFFFF) == 0xFFFFFF) {
            x++;
        }
        return x;
    }
}
