package io.orderedexecutor.sample.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.sample.SampleApplication;
import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestPropertySource;

/**
 * The page in a real browser. It is skipped where there is none; where CI runs, there is one. Slow steps run until the
 * test lets them go, all others end at once: what is looked at stays as it is.
 */
@DisabledIfSystemProperty(named = "browser", matches = "none", disabledReason = "another build looks at the page")
@SampleTest
@TestPropertySource(properties = "spring.application.name=live") // an application whose figures no other test reads
class LivePageTest {
    private static final Duration LIMIT = PageBrowser.LIMIT;

    @RegisterExtension
    static final PageBrowser page = new PageBrowser();

    @LocalServerPort
    int port;

    @Autowired
    HeldDatabase database;

    @Autowired
    @Qualifier("oneKey")
    StripedExecutor executor;

    @Autowired
    Journal journal;

    /** Counts over all tests. */
    @Autowired
    OrderCheck check;

    @BeforeEach
    void open() {
        page.open(port);
    }

    @AfterEach
    void close() {
        database.letGo();
        resumeAll();
        await().atMost(LIMIT).until(() -> busy() == 0);
    }

    @Test
    void stepsOfAClientWaitForEachOtherOnOurSideOnly() throws IOException {
        long violationsBefore = check.violations(Step.Lane.ASYNC);
        page.click("[data-post='/live/slow']"); // one of alice
        page.awaitLabel("STRIPED", "alice: 1 running, .*");
        page.click("[data-post='/live/burst']");
        page.awaitLabel("STRIPED", "alice: 1 running, 6 waiting; bob: 0 .*, 0 .*; carol: 0 .*, 0 .*; dave: 0 .*, 0 .*");
        page.awaitLabel("ASYNC", "alice: 1 running, 0 waiting; bob: 0 .*, 0 .*; carol: 0 .*, 0 .*; dave: 0 .*, 0 .*");
        await().atMost(LIMIT).until(() -> page.number("queued") == 6);
        long violations = check.violations(Step.Lane.ASYNC);
        assertThat(violations - violationsBefore).isGreaterThanOrEqualTo(6);
        await().atMost(LIMIT).until(() -> page.number("violations-async") == violations);
        List<Object> before = page.pictures();
        await().atMost(LIMIT).until(() -> !page.pictures().equals(before)); // the bars move
        page.screenshot("striped");

        database.letGo();
        awaitIdle("STRIPED");
        assertThat(page.number("violations")).isZero();
        page.assertNoConsoleErrors();
    }

    @Test
    void aPausedClientStandsStillAndTheOthersGoOn() {
        page.click("[data-post='/live/slow']");
        page.awaitLabel("STRIPED", "alice: 1 running, .*");
        assertThat(redPixelsOfNames()).as("while no client stands still").isZero();
        pauseAlice();
        page.click("[data-post='/live/burst']");
        database.letGo();
        page.awaitLabel(
                "STRIPED",
                "alice: 0 running, 6 waiting, paused; bob: 0 running, 0 waiting; carol: 0 .*, 0 .*; dave: 0 .*, 0 .*");
        await().alias("the picture says it, too").atMost(LIMIT).until(() -> redPixelsOfNames() > 0);
        await().atMost(LIMIT).until(() -> {
            page.click("#why");
            return page.texts("#explanation").anyMatch(text -> text.endsWith("key alice is paused"));
        });
        assertThat(page.texts("#explanation"))
                .singleElement()
                .asString()
                .startsWith("task Scenes.ordered(Step) of key alice of executor 'oneKey' has waited for ");
        assertThat((Boolean) page.run("return document.querySelector('.pair').getBoundingClientRect().top"
                        + " - document.getElementById('explanation').getBoundingClientRect().bottom > 8"))
                .as("there is room below the explanation")
                .isTrue();

        page.click("#pause");
        assertThat(page.texts("#explanation")).as("of the time before").containsExactly("");
        awaitIdle("STRIPED");
        assertThat(page.number("violations")).isZero();
        page.assertNoConsoleErrors();
    }

    /** What is written in red beside the tracks: the state of a client that is paused or parked. */
    private static long redPixelsOfNames() {
        return (Long) page.run("""
                const canvas = document.querySelector('canvas[data-lane=STRIPED]');
                const names = 60 * canvas.width / canvas.clientWidth;
                const {data} = canvas.getContext('2d').getImageData(0, 0, names, canvas.height);
                return data.filter((red, i) => i % 4 === 0 && data[i + 3] > 60 && red > data[i + 1] + 60).length""");
    }

    private void pauseAlice() {
        assertThat(page.texts("#pause")).containsExactly("Pause");
        page.click("#pause");
        await().atMost(LIMIT).until(() -> page.texts("#pause").toList().equals(List.of("Resume")));
    }

    @Test
    void aPageThatIsOpenedLaterShowsWhatWaits() {
        pauseAlice();
        page.click("[data-post='/live/burst']");
        page.awaitLabel("STRIPED", "alice: 0 running, 6 waiting, paused; bob: 0 running, 0 waiting;.*");
        page.open(port);
        page.awaitLabel("STRIPED", "alice: 0 running, 6 waiting, paused; bob: 0 running, 0 waiting;.*");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(page.number("queued")).isEqualTo(6));
        page.assertNoConsoleErrors();
    }

    @Test
    void aPageThatIsOpenedLaterShowsTheThreads() {
        executor.control().setThreads(5);
        try {
            page.open(port);
            await().atMost(LIMIT).until(() -> page.number("threads") == 5);
        } finally {
            executor.control().setThreads(8);
        }
        page.assertNoConsoleErrors();
    }

    @Test
    void stepsForWhichThereIsNoRoomAreCounted() throws IOException {
        long before = executor.inspect().stats().rejected();
        pauseAlice();
        page.click("[data-post='/live/flood']");
        page.click("[data-post='/live/flood']");
        await().atMost(LIMIT).until(() -> executor.inspect().stats().rejected() == before + 35);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(page.texts("[data-rejected='STRIPED']"))
                        .containsExactly(String.valueOf(before + 35)));
        page.awaitLabel("STRIPED", "alice: 0 running, 25 waiting, paused; .*");
        page.screenshot("rejected");
        page.assertNoConsoleErrors();
    }

    /** It is not told what happens while it is not connected. */
    @Test
    void aPageThatWasNotConnectedShowsWhatIsLeft() {
        page.click("[data-post='/live/slow']");
        page.awaitLabel("STRIPED", "alice: 1 running, 0 waiting; .*");
        journal.close();
        await().atMost(LIMIT).until(() -> page.texts("#connection").anyMatch(text -> text.startsWith("Not connected")));
        database.letGo();
        awaitIdle("STRIPED");
    }

    @Test
    void whenTheServerIsGoneThePictureStandsStillAndNothingIsAskedFor() throws IOException {
        try (ConfigurableApplicationContext other =
                new SpringApplicationBuilder(SampleApplication.class).run("--server.port=0")) {
            page.open(Integer.parseInt(other.getEnvironment().getRequiredProperty("local.server.port")));
            page.click("[data-post='/live/slow']");
            page.awaitLabel("STRIPED", "alice: 1 running, .*");
        }
        List<String> errors = new ArrayList<>();
        awaitRefusals(errors, 1);
        List<Object> before = page.pictures();
        awaitRefusals(errors, 2);
        page.screenshot("gone");
        List<Object> after = page.pictures();
        boolean pressable = page.element("[data-post='/live/burst']").isEnabled();
        page.open(port);

        assertThat(after.equals(before)).as("the picture stands still").isTrue();
        assertThat(errors.stream().filter(error -> error.contains("/actuator/")))
                .as("polls, of which one may have been on its way")
                .hasSizeLessThan(2);
        assertThat(pressable).isFalse();
    }

    /** The browser tries to connect again every few seconds. */
    private static void awaitRefusals(List<String> errors, int count) {
        await().atMost(LIMIT).until(() -> {
            errors.addAll(page.newConsoleErrors());
            return errors.stream()
                            .filter(error -> error.contains("/live/moments") && error.contains("REFUSED"))
                            .count()
                    >= count;
        });
    }

    @Test
    void anIdlePageShowsAnExample() throws IOException {
        for (String scene : List.of("striped", "grouped", "output", "busy")) {
            page.click("#tab-" + scene);
            String canvas = "#" + scene + " canvas[data-lane]";
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(palePixels(canvas)).as(scene).isGreaterThan(1000));
            page.screenshot("example-" + scene);
        }
        page.click("#busy button:not(.primary)");
        await().atMost(LIMIT).until(() -> palePixels("#busy canvas[data-lane]") < 1000);
        awaitAnswers(1);
        page.assertNoConsoleErrors();
    }

    /** How many pixels are drawn, and let the background through. */
    private static long palePixels(String canvas) {
        return (Long) page.run("""
                const canvas = document.querySelector(arguments[0]);
                const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                return data.filter((value, i) => i % 4 === 3 && value > 70 && value < 85).length""", canvas);
    }

    @Test
    void aFailureParksItsClientUntilItIsRunAgain() throws IOException {
        page.click("[data-post='/live/fail']");
        await().atMost(LIMIT).until(() -> page.texts("#parked li").anyMatch(text -> text.contains("alice is parked")));
        assertThat(page.texts("#parked li")).singleElement().asString().contains("The database does not accept");
        page.click("[data-post='/live/burst']");
        page.awaitLabel(
                "STRIPED", "alice: 0 running, 6 waiting, parked; bob: 0 .*, 0 .*; carol: 0 .*, 0 .*; dave: 0 .*, 0 .*");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(page.texts("#parked .why"))
                        .singleElement()
                        .asString()
                        .matches("task Scenes\\.ordered\\(Step\\) of key alice of executor 'oneKey' .*"
                                + "task Scenes\\.ordered\\(Step\\) of key alice is parked after"
                                + " IllegalStateException: The database does not accept step .*"));
        page.screenshot("parked");

        page.open(port);
        page.awaitLabel(
                "STRIPED", "alice: 0 running, 6 waiting, parked; bob: 0 .*, 0 .*; carol: 0 .*, 0 .*; dave: 0 .*, 0 .*");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(page.number("queued")).isEqualTo(7));
        await().atMost(LIMIT).until(() -> page.texts("#parked button").findAny().isPresent());

        page.run("document.querySelector('#parked button').focus(); return true");
        long asked = timesAsked();
        await().atMost(LIMIT).until(() -> timesAsked() >= asked + 3);
        assertThat(page.focused().getText()).as("what has the focus still").isEqualTo("Run it again");

        page.clickReplaced("#parked button");
        await().atMost(LIMIT).until(() -> page.texts("#parked li").findAny().isEmpty());
        awaitIdle("STRIPED");
        assertThat(page.number("violations")).isZero();
        page.assertNoConsoleErrors();
    }

    /** How often the page has asked the endpoint for the executor. */
    private static long timesAsked() {
        return (Long) page.run("""
                return performance.getEntriesByType('resource')
                    .filter((entry) => entry.name.endsWith('/actuator/orderedexecutors/oneKey')).length""");
    }

    @Test
    void transfersAreDrawnAcrossTheirAccounts() throws IOException {
        page.click("#tab-grouped");
        assertThat(highest("GROUPED", "several")).isZero();
        page.click("#transfer");
        await().atMost(LIMIT).until(() -> highest("GROUPED", "several") > rowHeight("GROUPED"));
        page.click("[data-post='/live/bank']");
        awaitIdle("GROUPED");
        page.screenshot("grouped");
        assertThat(page.number("violations")).isZero();
        page.assertNoConsoleErrors();
    }

    /** The height of the highest line that has a color of the page. */
    private long highest(String lane, String color) {
        return (Long) page.run("""
                const canvas = document.querySelector(`canvas[data-lane=${arguments[0]}]`);
                const color = getComputedStyle(document.documentElement).getPropertyValue(`--${arguments[1]}`).trim();
                const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
                const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                let highest = 0;
                for (let x = 0; x < canvas.width; x++) {
                  for (let y = 0, height = 0; y < canvas.height; y++) {
                    const at = 4 * (y * canvas.width + x);
                    height = data[at] === r && data[at + 1] === g && data[at + 2] === b ? height + 1 : 0;
                    highest = Math.max(highest, height);
                  }
                }
                return highest""", lane, color);
    }

    private long rowHeight(String lane) {
        return (Long) page.run(
                "return Math.floor(document.querySelector(`canvas[data-lane=${arguments[0]}]`).clientHeight / 4)",
                lane);
    }

    @Test
    void framesAreWorkedOnByThreadsAndWritten() throws IOException {
        page.click("#tab-output");
        assertThat(page.label("OUTPUT")).isEqualTo("output: 0 running, 0 waiting");
        page.click("[data-post='/live/render']");
        page.awaitLabel("OUTPUT", "(thread \\d+: 0 running, 0 waiting; )+output: 0 running, 0 waiting");
        assertThat(highest("OUTPUT", "text")).isPositive(); // as what is written is drawn
        page.screenshot("output");
        page.assertNoConsoleErrors();
    }

    @Test
    void aBusySessionQueuesCollectsReplacesOrInterrupts() throws IOException {
        page.click("#tab-busy");
        page.click("#busy .primary");
        awaitAnswers(5);
        page.screenshot("busy");

        // a machine that is too busy itself may send messages at longer intervals than an answer takes, but not always
        for (int sent = 5; sent < 50 && noneIsJoinedOrDropped(); sent += 5) {
            page.click("#busy .primary");
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
        page.assertNoConsoleErrors();
    }

    /** A row of the scene's table. */
    private record Outcome(int messages, int answers, int joined, int dropped) {}

    private Outcome outcome(String session) {
        @SuppressWarnings("unchecked")
        List<String> cells = (List<String>) page.run("""
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
        await().atMost(LIMIT).until(() -> page.hiddenTexts("pre").allMatch(text -> text.contains("player")));
        assertThat(page.hiddenTexts("pre"))
                .hasSize(4)
                .anyMatch(code -> code.startsWith("@OrderedAsync(executor = \"oneKey\", stripe = \"#step.key()\")"))
                .noneMatch(code -> code.contains("// scene") || code.contains("// end"));
    }

    @Test
    void scenesAreChosenByKeyboard() {
        page.click("#tab-striped");
        for (String scene : List.of("grouped", "output", "busy", "striped")) {
            page.focused().sendKeys(Keys.ARROW_RIGHT);
            assertThat(page.focused().getDomAttribute("aria-controls")).isEqualTo(scene);
            assertThat(page.element("#" + scene).isDisplayed()).isTrue();
        }
        assertThat(page.element("#busy").isDisplayed()).isFalse();
    }

    @Test
    void itFitsOnAPhoneAndInTheDark() throws IOException {
        page.size(390, 844);
        page.colors("dark");
        for (String scene : List.of("busy", "striped", "grouped", "output")) {
            page.click("#tab-" + scene);
            page.click(scene.equals("busy") ? "#busy button:not(.primary)" : "#" + scene + " button.primary");
            assertThat((Long) page.run("return document.documentElement.scrollWidth"))
                    .as("width of %s", scene)
                    .isLessThanOrEqualTo((Long) page.run("return document.documentElement.clientWidth"));
            page.screenshot("phone-" + scene);
        }
        assertThat(page.element("body").getCssValue("background-color")).contains("13, 17, 23");
        List.of("STRIPED", "GROUPED", "OUTPUT", "BUSY").forEach(this::awaitIdle);
        page.assertNoConsoleErrors();
    }

    /** The label lags behind a little, so the server must have nothing left, too. */
    private void awaitIdle(String lane) {
        await().atMost(LIMIT)
                .until(() -> !page.label(lane).matches(".*[1-9][0-9]* (running|waiting).*") && busy() == 0);
    }

    /** How many tasks are queued or run. */
    private long busy() {
        Object tasks = page.runAsync("""
                const done = arguments[0];
                fetch('/actuator/orderedexecutors').then(answer => answer.json()).then(all => done(
                    Object.values(all.executors)
                        .map(one => one.stats.queued + one.stats.active)
                        .reduce((a, b) => a + b)))""");
        assertThat(tasks).isNotNull();
        return (Long) tasks;
    }

    private void resumeAll() {
        var unused = page.runAsync("""
                const done = arguments[0];
                Promise.all(['alice', 'bob', 'carol', 'dave'].map(client =>
                    fetch('/actuator/orderedexecutors/oneKey/' + client, {method: 'POST',
                        headers: {'Content-Type': 'application/json'}, body: '{"action": "resume"}'})))
                    .then(() => done())""");
    }
}
