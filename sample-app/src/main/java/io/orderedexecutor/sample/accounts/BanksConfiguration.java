package io.orderedexecutor.sample.accounts;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableAsync;

/** The two banks. {@code @EnableAsync} is for the unordered one, and the page; {@code @OrderedAsync} needs nothing. */
@Configuration(proxyBeanMethods = false)
@EnableAsync
class BanksConfiguration {

    @Bean
    Bank orderedBank(Bookings bookings) {
        return new Bank(bookings::bookInOrder);
    }

    @Bean
    Bank unorderedBank(Bookings bookings) {
        return new Bank(bookings::bookInAnyOrder);
    }
}
