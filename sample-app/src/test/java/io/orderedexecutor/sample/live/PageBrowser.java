package io.orderedexecutor.sample.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.springframework.util.FileSystemUtils;

/** A browser that looks at the page; one for all tests of a class, since it takes seconds to start. */
final class PageBrowser implements BeforeAllCallback, AfterAllCallback {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    static final Path SCREENSHOTS = Path.of("target/screenshots");

    private @Nullable Path profile;
    private @Nullable ChromeDriver started;

    @Override
    public void beforeAll(ExtensionContext test) throws IOException {
        boolean there = Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER);
        assertThat(there || !Boolean.getBoolean("browser.required"))
                .as("there is a browser: %s and %s", BROWSER, DRIVER)
                .isTrue();
        assumeTrue(
                there, "SKIPPED: there is no browser to look at the page with. Install chromium and chromium-driver.");

        profile = Files.createTempDirectory("page-browser");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions()
                .setBinary(BROWSER.toFile())
                .addArguments(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--hide-scrollbars",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + profile);
        options.setCapability("goog:loggingPrefs", logs);
        started = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .build(),
                options);
    }

    @Override
    public void afterAll(ExtensionContext test) throws IOException {
        if (started != null) {
            started.quit();
        }
        FileSystemUtils.deleteRecursively(profile);
    }

    private ChromeDriver driver() {
        assertThat(started).isNotNull();
        return started;
    }

    /** Opens the page, as large as on a desk, in light colors; what the console said before is forgotten. */
    void open(int port) {
        driver().manage().logs().get(LogType.BROWSER);
        colors("light");
        size(1200, 900);
        driver().get("http://localhost:" + port);
        await().atMost(LIMIT).until(() -> "true".equals(element("html").getDomAttribute("data-connected")));
    }

    void colors(String scheme) {
        driver().executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void size(int width, int height) {
        driver().manage().window().setSize(new Dimension(width, height));
        driver().executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    WebElement element(String css) {
        return driver().findElement(By.cssSelector(css));
    }

    void click(String css) {
        element(css).click();
    }

    /** Finds and clicks at once what the page may replace at any time. */
    void clickReplaced(String css) {
        run("document.querySelector(arguments[0]).click(); return true", css);
    }

    /** The element that has the focus. */
    WebElement focused() {
        return driver().switchTo().activeElement();
    }

    Object run(String script, Object... arguments) {
        Object result = driver().executeScript(script, arguments);
        assertThat(result).as(script).isNotNull();
        return result;
    }

    /** Runs a script that calls its last argument when it is done. */
    @Nullable
    Object runAsync(String script) {
        return driver().executeAsyncScript(script);
    }

    long number(String id) {
        return Long.parseLong((String) run("return document.getElementById(arguments[0]).value", id));
    }

    /** What a picture says to those who do not see it. */
    String label(String lane) {
        String label = element("canvas[data-lane=" + lane + "]").getDomAttribute("aria-label");
        return label == null ? "" : label;
    }

    void awaitLabel(String lane, String pattern) {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(label(lane)).matches(pattern));
    }

    @SuppressWarnings("unchecked")
    List<Object> pictures() {
        return (List<Object>)
                run("return [...document.querySelectorAll('canvas[data-lane]')].map(canvas => canvas.toDataURL())");
    }

    /** By one script: the page may replace what was found before it is read. */
    Stream<String> texts(String css) {
        return strings("element => element.checkVisibility() ? element.innerText.trim() : ''", css);
    }

    /** Also of what is not displayed. */
    Stream<String> hiddenTexts(String css) {
        return strings("element => element.textContent", css);
    }

    @SuppressWarnings("unchecked")
    private Stream<String> strings(String read, String css) {
        return ((List<String>) run("return [...document.querySelectorAll(arguments[0])].map(" + read + ")", css))
                .stream();
    }

    /** Those since the console was read last. */
    List<String> newConsoleErrors() {
        return driver().manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    void assertNoConsoleErrors() {
        assertThat(newConsoleErrors())
                .filteredOn(message -> !message.contains("404")) // a client without steps is none to pause
                .isEmpty();
    }

    /** For people to look at. */
    void screenshot(String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), driver().getScreenshotAs(OutputType.BYTES));
    }
}
