package io.orderedexecutor.sample.live;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Makes pictures of the page, for people to look at: those of README and guide, and each scene on a desk and on a
 * phone, in light and in dark colors. They are in {@code target/screenshots}. Not run with the other tests, since it
 * takes a minute and its name does not end with Test:
 *
 * <pre>{@code
 * mvn -pl sample-app -am test -Dtest=Screenshots -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
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
}
