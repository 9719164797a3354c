package io.orderedexecutor.sample.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.sample.fixtures.Http;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Makes pictures of the page, for people to look at: those of README and guide, and each scene on a desk and on a
 * phone, in light and in dark colors, and a picture of a trace. They are in {@code target/screenshots}. Not run with
 * the other tests, since it takes a minute and its name does not end with Test:
 *
 * <pre>{@code
 * mvn -pl sample-app -am test -Dtest=Screenshots -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoint.orderedtimeline.access=unrestricted",
            "management.endpoints.web.exposure.include=orderedexecutors, orderedtimeline"
        })
class Screenshots {
    @RegisterExtension
    static final PageBrowser page = new PageBrowser();

    @LocalServerPort
    int port;

    @BeforeEach
    void open() {
        page.open(port);
    }

    @ParameterizedTest
    @CsvSource({"desk, light, 1200, 720", "desk, dark, 1200, 720", "phone, light, 390, 844", "phone, dark, 390, 844"})
    void scenes(String device, String colors, int width, int height) throws IOException, InterruptedException {
        page.size(width, height);
        page.colors(colors);
        String name = "-" + device + "-" + colors;

        for (int burst = 0; burst < 3; burst++) {
            page.click("[data-post='/live/burst']");
            TimeUnit.MILLISECONDS.sleep(burst == 0 ? 3_500 : 1_700);
        }
        page.screenshot("striped" + name);
        page.click("[data-post='/live/fail']");
        TimeUnit.SECONDS.sleep(4);
        page.screenshot("parked" + name);
        page.click("#parked button");

        page.click("#tab-grouped");
        page.click("[data-post='/live/bank']");
        TimeUnit.SECONDS.sleep(3);
        page.click("[data-post='/live/bank']");
        TimeUnit.SECONDS.sleep(2);
        page.screenshot("grouped" + name);

        page.click("#tab-output");
        page.click("[data-post='/live/render']");
        TimeUnit.SECONDS.sleep(2);
        page.screenshot("output" + name);

        page.click("#tab-busy");
        page.click("#busy .primary");
        TimeUnit.MILLISECONDS.sleep(3_300);
        page.screenshot("busy" + name);
        page.assertNoConsoleErrors();
    }

    @Test
    void timeline() throws IOException, InterruptedException {
        String endpoint = "/actuator/orderedtimeline";
        Http http = new Http(port);
        byte[] duration = "{\"duration\": \"5s\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(http.post(endpoint, "application/json", duration).status()).isEqualTo(200);
        press("burst?count=16");
        press("transfer?from=alice&to=bob");
        press("transfer?from=carol&to=dave");
        press("transfer?from=bob&to=carol");
        for (int message = 0; message < 5; message++) {
            press("message");
            TimeUnit.MILLISECONDS.sleep(130);
        }
        press("fail?client=dave");
        await().atMost(PageBrowser.LIMIT).until(() -> http.get(endpoint).status() == 200);
        Files.createDirectories(PageBrowser.SCREENSHOTS);
        Files.writeString(
                PageBrowser.SCREENSHOTS.resolve("timeline.svg"),
                TracePicture.of(http.get(endpoint).json()));
        // or the end of the test would wait for a parked step as long as a shutdown may take
        byte[] resume = "{\"action\": \"resume\"}".getBytes(StandardCharsets.UTF_8);
        String dave = "/actuator/orderedexecutors/oneKey/dave";
        assertThat(http.post(dave, "application/json", resume).status()).isEqualTo(200);
    }

    /** Does what a button of the page does. */
    private void press(String button) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/live/" + button))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<Void> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());
        assertThat(answer.statusCode()).isBetween(200, 202);
    }
}
