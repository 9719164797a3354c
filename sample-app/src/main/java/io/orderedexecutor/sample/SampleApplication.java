package io.orderedexecutor.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableAsync;

/** The application. {@code @EnableAsync} is for the unordered half only; {@code @OrderedAsync} needs nothing. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
@EnableAsync
public class SampleApplication {

    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    @Bean
    Desk orderedDesk(Bookings orderedBookings, SampleProperties properties) {
        return new Desk(orderedBookings, properties);
    }

    @Bean
    Desk unorderedDesk(Bookings unorderedBookings, SampleProperties properties) {
        return new Desk(unorderedBookings, properties);
    }
}
