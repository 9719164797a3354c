package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.validation.annotation.Validated;

/** Arguments are validated on the thread of the caller, who hears of it, before the call has a place in an order. */
class ValidationAdviceTest {
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner contexts = CONTEXTS.withConfiguration(
                    AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withPropertyValues("ordered-executor.failure-policy=park", "ordered-executor.retry.max-retries=3")
            .withBean(Service.class, () -> new Service(ran));

    @AfterEach
    void logout() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void aBadArgumentIsThrownToTheCallerAndParksNothing() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            assertThatThrownBy(() -> service.book("alice", -1)).isInstanceOf(ConstraintViolationException.class);
            assertThatThrownBy(() -> service.order(null)).isInstanceOf(ConstraintViolationException.class);
            assertThatThrownBy(() -> service.order(new Order(""))).isInstanceOf(ConstraintViolationException.class);
            assertThat(service.book("alice", 1).get(30, TimeUnit.SECONDS)).isEqualTo("booked");
            assertThat(service.order(new Order("alice")).get(30, TimeUnit.SECONDS))
                    .isEqualTo("ordered");
            assertThat(ran).containsExactly("alice 1", "alice");
            assertThat(executor.inspect().parkedTasks()).isEmpty();
            assertThat(executor.inspect().stats().failed()).isZero();
        });
    }

    @Test
    void securityDecidesFirst() {
        contexts.withUserConfiguration(MethodSecurity.class).run(context -> {
            Service service = context.getBean(Service.class);
            login("customer");
            assertThatThrownBy(() -> service.close("")).isInstanceOf(AccessDeniedException.class);
            login("teller");
            assertThatThrownBy(() -> service.close("")).isInstanceOf(ConstraintViolationException.class);
            service.close("alice").get(30, TimeUnit.SECONDS);
            assertThat(ran).containsExactly("closed alice");
        });
    }

    @Test
    void securityDecidesFirstForOtherMethods() {
        contexts.withUserConfiguration(MethodSecurity.class).run(context -> {
            Service service = context.getBean(Service.class);
            login("customer");
            assertThatThrownBy(() -> service.rename("")).isInstanceOf(AccessDeniedException.class);
            login("teller");
            assertThatThrownBy(() -> service.rename("")).isInstanceOf(ConstraintViolationException.class);
            service.rename("alice");
            assertThat(ran).containsExactly("renamed alice");
        });
    }

    private static void login(String role) {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("someone", "", "ROLE_" + role));
    }

    @EnableMethodSecurity
    @Configuration(proxyBeanMethods = false)
    static class MethodSecurity {}

    record Order(@NotBlank String account) {}

    @Validated
    static class Service {
        private final List<String> ran;

        Service(List<String> ran) {
            this.ran = ran;
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> book(String account, @Positive int amount) {
            ran.add(account + " " + amount);
            return CompletableFuture.completedFuture("booked");
        }

        @PreAuthorize("hasRole('teller')")
        public void rename(@NotBlank String account) {
            ran.add("renamed " + account);
        }

        @OrderedAsync(stripe = "#order.account")
        public CompletableFuture<String> order(@NotNull @Valid Order order) {
            ran.add(order.account());
            return CompletableFuture.completedFuture("ordered");
        }

        @PreAuthorize("hasRole('teller')")
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<Void> close(@NotBlank String account) {
            ran.add("closed " + account);
            return CompletableFuture.completedFuture(null);
        }
    }
}
