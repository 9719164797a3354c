package io.orderedexecutor.sample.accounts;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableAsync;

/** The two banks. {@code @EnableAsync} is for the unordered one only; {@code @OrderedAsync} needs nothing. */
@Configuration(proxyBeanMethods = false)
@EnableAsync
@EnableConfigurationProperties(AccountsProperties.class)
class BanksConfiguration {

    @Bean
    Bank orderedBank(OrderedBookings bookings, AccountsProperties properties) {
        return new Bank(bookings, properties);
    }

    @Bean
    Bank unorderedBank(UnorderedBookings bookings, AccountsProperties properties) {
        return new Bank(bookings, properties);
    }
}
