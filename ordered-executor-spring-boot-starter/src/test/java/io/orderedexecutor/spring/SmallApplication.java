package io.orderedexecutor.spring;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application that needs nothing but executors. It says what it has, and ends. Started by
 * {@link MissingModulesTest}.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SmallApplication {

    /** Starts it, calls an annotated method, and tells which thread made the call and which beans there are. */
    public static void main(String[] arguments) throws Exception {
        try (ConfigurableApplicationContext application = SpringApplication.run(SmallApplication.class, arguments)) {
            System.out.println("Threads before the first call: "
                    + Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .toList());
            Orders orders = application.getBean(Orders.class);
            System.out.println("Call made on " + orders.book("alice").get(30, TimeUnit.SECONDS));
            System.out.println("Total made on " + orders.total().get(30, TimeUnit.SECONDS));
            System.out.println("Beans: " + Arrays.toString(application.getBeanDefinitionNames()));
        }
    }

    @Bean
    Orders orders() {
        return new Orders();
    }

    static class Orders {
        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> book(String client) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(barrier = true)
        public CompletableFuture<String> total() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }
}
