package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class ShutdownTest {

    @Test
    void whatWasAcceptedIsProcessedBeforeTheApplicationEnds() {
        ConfigurableApplicationContext application = SpringApplication.run(SampleApplication.class, "--server.port=0");
        Desk ordered = application.getBean("orderedDesk", Desk.class);
        Desk unordered = application.getBean("unorderedDesk", Desk.class);
        Http http = new Http(Integer.parseInt(application.getEnvironment().getRequiredProperty("local.server.port")));
        String bulk = "{\"client\":\"jan\",\"type\":\"deposit\",\"coins\":10}\n".repeat(100);
        http.bulk("/events", bulk);
        http.bulk("/unordered/events", bulk);
        assertThat(state(ordered).pending()).isPositive();

        application.close();

        assertThat(state(ordered).processed()).isEqualTo(100);
        assertThat(state(unordered).processed()).isEqualTo(100);
        assertThat(state(ordered).balance()).isEqualTo(1000);
    }

    private static Account.State state(Desk desk) {
        return desk.read("jan", Duration.ZERO).orElseThrow().join();
    }
}
