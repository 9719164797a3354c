package io.orderedexecutor.sample.events;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.sample.fixtures.HeldDatabase;
import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** The capacities of application.yml, at their limit; but the wait for room is short. */
@SampleTest
@TestPropertySource(properties = "ordered-executor.overflow-timeout=3s")
class CapacityTest {
    private static final int RUNNING = 1;
    private static final int STRIPE_CAPACITY = 10;

    @Autowired
    HeldDatabase database;

    @Autowired
    Http http;

    @Test
    void eventsBeyondTheCapacityAreNotAcceptedAndTheAnswerSaysFromWhichOne() {
        assertThat(http.events("/events", deposit("full", HeldDatabase.HELD)).number("accepted"))
                .isEqualTo(RUNNING);
        await().atMost(Duration.ofSeconds(30)).until(() -> database.begun().contains(HeldDatabase.HELD));

        Http.Answer answer = http.events("/events", "{}\n" + deposit("full", 1).repeat(20));

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.response().headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.number("accepted")).isEqualTo(STRIPE_CAPACITY);
        assertThat(answer.number("sendAgainFrom")).isEqualTo(STRIPE_CAPACITY + 2);
        assertThat(answer.text("detail"))
                .startsWith("Too many events are pending. No event from number 12 on was accepted");

        database.letGo();
        assertThat(http.finalStatement("full").number("processed")).isEqualTo(RUNNING + STRIPE_CAPACITY);
    }

    @Test
    void eventsOfOtherClientsAreAcceptedWhileOneHasNoRoom() {
        http.events(
                "/events",
                deposit("full", HeldDatabase.HELD) + deposit("full", 1).repeat(20));

        assertThat(http.events("/events", deposit("other", 1).repeat(200)).number("accepted"))
                .isEqualTo(200);
        assertThat(http.finalStatement("other").number("processed")).isEqualTo(200);
    }

    @Test
    void unorderedEventsBeyondTheQueueAreNotAcceptedAndTheAnswerSaysFromWhichOne() {
        int threadsAndQueue = 8 + 100;

        Http.Answer answer = http.events(
                "/unordered/events", deposit("full", HeldDatabase.HELD).repeat(200));

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.number("accepted")).isEqualTo(threadsAndQueue);
        assertThat(answer.number("sendAgainFrom")).isEqualTo(threadsAndQueue + 1);
    }
}
