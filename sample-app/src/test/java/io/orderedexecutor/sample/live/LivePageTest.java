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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
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
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The page in a real browser. It is skipped where there is none; where CI runs, there is one. */
@DisabledIfSystemProperty(named = "browser", matches = "none", disabledReason = "another build looks at the page")
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.application.name=live") // an application of its own, whose figures no other test reads
class LivePageTest {
    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path SCREENSHOTS = Path.of("target/screenshots");
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @LocalServerPort
    int port;

    @TempDir
    private static Path profile;

    /** One for all tests: it takes seconds to start. */
    private static ChromeDriver browser;

    @BeforeAll
    static void startBrowser() {
        boolean there = Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER);
        assertThat(there || !Boolean.getBoolean("browser.required"))
                .as("there is a browser: %s and %s", BROWSER, DRIVER)
                .isTrue();
        assumeTrue(
                there, "SKIPPED: there is no browser to look at the page with. Install chromium and chromium-driver.");

        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions()
                .setBinary(BROWSER.toFile())
                .addArguments(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + profile);
        options.setCapability("goog:loggingPrefs", logs);
        browser = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .build(),
                options);
    }

    @AfterAll
    static void quitBrowser() {
        if (browser != null) {
            browser.quit();
        }
    }

    @BeforeEach
    void open() {
        browser.manage().logs().get(LogType.BROWSER); // those of the test before are gone
        browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
        size(1200, 900);
        show("");
    }

    @AfterEach
    void close() {
        resumeAll();
        await().atMost(LIMIT).until(() -> queued() == 0);
    }

    @Test
    void aBurstMovesBarsAndOnlyTheOtherSideViolatesTheOrder() throws IOException {
        List<Object> before = pictures();
        click("[data-post='/live/burst']");
        await().atMost(LIMIT).until(() -> !pictures().equals(before));
        await().atMost(LIMIT).until(() -> label("STRIPED").matches(".*[1-9] running.*"));

        // the other side has luck now and then, but not for long
        for (int bursts = 1; number("violations-async") == 0 && bursts < 20; bursts++) {
            click("[data-post='/live/burst']");
            awaitIdle("STRIPED");
        }

        screenshot("striped");
        assertThat(number("violations-async")).isPositive();
        assertThat(number("violations")).isZero();
        assertNoConsoleErrors();
    }

    @Test
    void aPausedClientStandsStillAndTheOthersGoOn() {
        click("[data-post='/live/burst']");
        click("[data-action='pause']");
        await().atMost(LIMIT).until(() -> {
            click("#why");
            return texts("#explanation")
                    .anyMatch(text -> text.endsWith("stripe alice of executor 'stripedExecutor' is paused"));
        });
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(label("STRIPED"))
                        .matches("alice: 0 running, [1-9].*bob: 0 running, 0.*dave: 0 running, 0 waiting"));

        click("[data-action='resume']");
        awaitIdle("STRIPED");
        assertThat(number("violations")).isZero();
        assertNoConsoleErrors();
    }

    @Test
    void aFailureParksItsClientUntilItIsRunAgain() throws IOException {
        click("[data-post='/live/fail']");
        await().atMost(LIMIT).until(() -> texts("#parked li").anyMatch(text -> text.contains("alice is parked")));
        assertThat(texts("#parked li")).singleElement().asString().contains("The database does not accept");
        click("[data-post='/live/burst']");
        await().atMost(LIMIT).until(() -> label("STRIPED").matches("alice: 0 running, [1-9].*bob: 0 running, 0.*"));
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(texts("#parked .why"))
                        .singleElement()
                        .asString()
                        .contains(
                                "of stripe alice of executor 'stripedExecutor' is parked after",
                                "The database does not accept"));
        screenshot("parked");

        click("#parked button");
        await().atMost(LIMIT).until(() -> texts("#parked li").findAny().isEmpty());
        awaitIdle("STRIPED");
        assertThat(number("violations")).isZero();
        assertNoConsoleErrors();
    }

    @Test
    void transfersHoldTwoAccounts() throws IOException {
        click("#tab-grouped");
        click("[data-post='/live/bank']");
        await().atMost(LIMIT).until(() -> label("GROUPED").matches(".*[1-9] running.*"));
        click("#transfer");
        awaitIdle("GROUPED");
        screenshot("grouped");
        assertThat(number("violations")).isZero();
        assertNoConsoleErrors();
    }

    @Test
    void framesAreWrittenInOrder() throws IOException {
        click("#tab-output");
        click("[data-post='/live/render']");
        await().atMost(LIMIT).until(() -> label("OUTPUT").matches(".*thread.*[1-9] running.*"));
        awaitIdle("OUTPUT");
        screenshot("output");
        assertNoConsoleErrors();
    }

    @Test
    void aBusySessionQueuesCollectsReplacesOrInterrupts() throws IOException {
        click("#tab-busy");
        click("#busy .primary");
        awaitAnswers(5);
        screenshot("busy");

        // a machine that is too busy itself may send messages at longer intervals than an answer takes, but not always
        for (int sent = 5; sent < 50 && noneIsJoinedOrDropped(); sent += 5) {
            click("#busy .primary");
            awaitAnswers(sent + 5);
        }

        int messages = outcome("followup").messages();
        assertThat(outcome("followup")).isEqualTo(new Outcome(messages, messages, 0, 0));
        Outcome collect = outcome("collect");
        assertThat(collect.joined()).isPositive();
        assertThat(collect.dropped()).isZero();
        assertThat(collect.answers() + collect.joined()).isEqualTo(messages);
        Outcome latest = outcome("latest");
        assertThat(latest.dropped()).isPositive();
        assertThat(latest.answers() + latest.dropped()).isEqualTo(messages);
        assertThat(outcome("interrupt").dropped()).isPositive();
        assertThat(outcome("interrupt").answers()).isPositive(); // the last message is answered
        assertNoConsoleErrors();
    }

    /** A row of the scene's table. */
    private record Outcome(int messages, int answers, int joined, int dropped) {}

    private Outcome outcome(String session) {
        @SuppressWarnings("unchecked")
        List<String> cells = (List<String>) browser.executeScript("""
                return [...document.querySelectorAll('#outcomes tbody tr')]
                    .find(row => row.cells[0].textContent === arguments[0])
                    .innerText.trim().split(/\\s+/).slice(1)""", session);
        List<Integer> numbers = cells.stream().map(Integer::valueOf).toList();
        return new Outcome(numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3));
    }

    /** Follow-ups take the longest, so all others are over, too. */
    private void awaitAnswers(int messages) {
        await().atMost(LIMIT).until(() -> outcome("followup").answers() == messages);
    }

    private boolean noneIsJoinedOrDropped() {
        return outcome("collect").joined() == 0
                || outcome("latest").dropped() == 0
                || outcome("interrupt").dropped() == 0;
    }

    @Test
    void eachSceneShowsItsCode() {
        await().atMost(LIMIT).until(() -> hiddenTexts("pre").allMatch(text -> text.contains("player")));
        assertThat(hiddenTexts("pre"))
                .hasSize(4)
                .anyMatch(code -> code.startsWith("@OrderedAsync(stripe = \"#step.key()\")"))
                .noneMatch(code -> code.contains("// to here"));
    }

    @Test
    void itFitsOnAPhoneAndInTheDark() throws IOException {
        size(390, 844);
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
        show("");
        for (String scene : List.of("busy", "striped", "grouped", "output")) {
            click("#tab-" + scene);
            browser.findElement(By.id(scene))
                    .findElement(By.cssSelector("button.primary"))
                    .click();
            assertThat((Long) browser.executeScript("return document.documentElement.scrollWidth"))
                    .as("width of %s", scene)
                    .isLessThanOrEqualTo((Long) browser.executeScript("return document.documentElement.clientWidth"));
            screenshot("phone-" + scene);
        }
        assertThat(browser.findElement(By.tagName("body")).getCssValue("background-color"))
                .contains("13, 17, 23");
        List.of("STRIPED", "GROUPED", "OUTPUT", "BUSY").forEach(this::awaitIdle);
        assertNoConsoleErrors();
    }

    private void show(String fragment) {
        browser.get("http://localhost:" + port + "/" + fragment);
        await().atMost(LIMIT).until(() -> !label("STRIPED").isEmpty());
    }

    private void size(int width, int height) {
        browser.manage().window().setSize(new Dimension(width, height));
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    private void click(String css) {
        browser.findElement(By.cssSelector(css)).click();
    }

    private long number(String id) {
        return Long.parseLong((String) browser.executeScript("return document.getElementById(arguments[0]).value", id));
    }

    /** What a picture says to those who do not see it; brought up to date each second. */
    private String label(String lane) {
        String label = browser.findElement(By.cssSelector("canvas[data-lane=" + lane + "]"))
                .getDomAttribute("aria-label");
        return label == null ? "" : label;
    }

    /** The label lags behind, so the server must have nothing left, too. */
    private void awaitIdle(String lane) {
        await().atMost(LIMIT).until(() -> !label(lane).matches(".*[1-9][0-9]* (running|waiting).*") && queued() == 0);
    }

    private long queued() {
        return (Long) browser.executeAsyncScript("""
                const done = arguments[0];
                fetch('/actuator/orderedexecutors').then(answer => answer.json()).then(all => done(
                    Object.values(all.executors)
                        .map(one => one.stats.queued + one.stats.active)
                        .reduce((a, b) => a + b)))""");
    }

    @SuppressWarnings("unchecked")
    private List<Object> pictures() {
        return (List<Object>) browser.executeScript(
                "return [...document.querySelectorAll('canvas[data-lane]')].map(canvas => canvas.toDataURL())");
    }

    private Stream<String> texts(String css) {
        return browser.findElements(By.cssSelector(css)).stream().map(WebElement::getText);
    }

    private Stream<String> hiddenTexts(String css) {
        return browser.findElements(By.cssSelector(css)).stream().map(element -> element.getDomProperty("textContent"));
    }

    private void resumeAll() {
        browser.executeAsyncScript("""
                const done = arguments[0];
                Promise.all(['alice', 'bob', 'carol', 'dave'].map(client =>
                    fetch('/actuator/orderedexecutors/stripedExecutor/' + client, {method: 'POST',
                        headers: {'Content-Type': 'application/json'}, body: '{"action": "resume"}'})))
                    .then(() => done())""");
    }

    private void assertNoConsoleErrors() {
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                .filteredOn(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .extracting(LogEntry::getMessage)
                .filteredOn(message -> !message.contains("404")) // a client without steps is none to pause
                .isEmpty();
    }

    /** For people to look at. */
    private void screenshot(String name) throws IOException {
        Files.createDirectories(SCREENSHOTS);
        Files.write(SCREENSHOTS.resolve(name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
    }
}
