package io.orderedexecutor.sample.accounts;

import io.orderedexecutor.sample.accounts.Bookings.OrderedBookings;
import io.orderedexecutor.sample.accounts.Bookings.UnorderedBookings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableAsync;

/** The two banks. {@code @EnableAsync} is for the unordered one only; {@code @OrderedAsync} needs nothing. */
@Configuration(proxyBeanMethods = false)
@EnableAsync
class BanksConfiguration {

    @Bean
    Bank orderedBank(OrderedBookings bookings) {
        return new Bank(bookings);
    }

    @Bean
    Bank unorderedBank(UnorderedBookings bookings) {
        return new Bank(bookings);
    }
}
