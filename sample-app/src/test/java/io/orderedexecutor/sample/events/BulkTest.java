package io.orderedexecutor.sample.events;

import static io.orderedexecutor.sample.fixtures.Http.deposit;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.sample.accounts.Bank;
import io.orderedexecutor.sample.fixtures.SampleTest;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.web.ErrorResponseException;

/** Events that come before the application is ready, and those that come when it ends. */
@SampleTest
class BulkTest {
    @Autowired
    private Bank orderedBank;

    @Autowired
    private Bulk.Tools tools;

    @Test
    void onlyTheEndOfTheApplicationRefusesEvents() {
        ApplicationAvailabilityBean availability = new ApplicationAvailabilityBean();
        Bulk.Tools ofNew = new Bulk.Tools(tools.json(), tools.validator(), availability);
        assertThat(new Bulk(orderedBank, ofNew).accept(event())).isEqualTo(1);
        availability.onApplicationEvent(new AvailabilityChangeEvent<>(this, ReadinessState.ACCEPTING_TRAFFIC));
        assertThat(new Bulk(orderedBank, ofNew).accept(event())).isEqualTo(1);
        availability.onApplicationEvent(new AvailabilityChangeEvent<>(this, ReadinessState.REFUSING_TRAFFIC));
        assertThatThrownBy(() -> new Bulk(orderedBank, ofNew).accept(event()))
                .isInstanceOf(ErrorResponseException.class)
                .hasMessageContaining("shutting down");
    }

    private static InputStream event() {
        return new ByteArrayInputStream(deposit("starter", 1).getBytes(UTF_8));
    }
}
