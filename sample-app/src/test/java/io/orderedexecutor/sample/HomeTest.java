package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class HomeTest {

    @Autowired
    Http http;

    @Test
    void rootShowsWhereToGo() {
        Http.Answer answer = http.get("/");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().toString())
                .isEqualTo("{\"ordered\":\"/events\",\"unordered\":\"/unordered/events\",\"transfers\":\"/transfers\","
                        + "\"savings\":\"/savings\",\"animation\":\"/animation\","
                        + "\"executors\":\"/actuator/orderedexecutors\",\"metrics\":\"/actuator/metrics\"}");
        for (String link : new String[] {"savings", "executors", "metrics"}) {
            assertThat(http.get(answer.text(link)).status()).as(link).isEqualTo(200);
        }
    }
}
