package io.orderedexecutor.sample.migrating;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

class AsyncTest {
    static class AsyncBookings {
        private final Ledger ledger;

        AsyncBookings(Ledger ledger) {
            this.ledger = ledger;
        }

        // before: all accounts wait for each other
        @Async("oneThread")
        public void book(String account, int number) {
            ledger.book(account, number);
        }
    }

    static class OrderedBookings {
        private final Ledger ledger;

        OrderedBookings(Ledger ledger) {
            this.ledger = ledger;
        }

        // after
        @OrderedAsync(stripe = "#account")
        public void book(String account, int number) {
            ledger.book(account, number);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import({Ledger.class, AsyncBookings.class, OrderedBookings.class})
    static class Application {
        @Bean
        TaskExecutor oneThread() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(1);
            executor.setMaxPoolSize(1);
            executor.setWaitForTasksToCompleteOnShutdown(true);
            executor.setAwaitTerminationSeconds(30);
            return executor;
        }
    }

    @Test
    void bothKeepTheOrderOfAnAccount() throws Exception {
        assertOrder(AsyncBookings.class, AsyncBookings::book);
        assertOrder(OrderedBookings.class, OrderedBookings::book);
    }

    private interface Call<B> {
        void book(B bookings, String account, int number);
    }

    /** The end of the application waits for the calls, with either annotation. */
    private static <B> void assertOrder(Class<B> type, Call<B> call) throws Exception {
        Ledger ledger;
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run()) {
            ledger = application.getBean(Ledger.class);
            B bookings = application.getBean(type);
            Ledger.sendAll((account, number) -> call.book(bookings, account, number));
        }
        ledger.assertEachEventOnceInOrder();
    }
}
