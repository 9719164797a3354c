package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.annotation.Secured;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.access.prepost.PreFilter;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationInterceptorsOrder;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** Spring Security decides on a call on the thread of the caller, or the start of the application fails. */
class AuthorizationAdviceTest {
    private static final int BEFORE_SECURITY = AuthorizationInterceptorsOrder.PRE_FILTER.getOrder() - 1;
    private static final int AFTER_SECURITY = AuthorizationInterceptorsOrder.POST_FILTER.getOrder() + 1;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner services = CONTEXTS.withBean(Service.class, () -> new Service(events))
            .withBean("guard", Guard.class, () -> new Guard(events));
    private final ApplicationContextRunner contexts = services.withUserConfiguration(MethodSecurity.class);

    @AfterEach
    void logout() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void refusalOfAVoidMethodIsThrownToTheCallerAndTheMethodIsNotCalled() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            StripedExecutor executor = context.getBean(StripedExecutor.class);

            login("customer");
            assertThatThrownBy(() -> service.book("alice")).isInstanceOf(AccessDeniedException.class);
            assertThatThrownBy(() -> service.close("alice")).isInstanceOf(AccessDeniedException.class);
            login("teller");
            service.book("bob");
            service.close("carol");

            for (String account : List.of("alice", "bob", "carol")) {
                assertThat(executor.control().awaitIdle(account, Duration.ofSeconds(30)))
                        .isTrue();
            }
            assertThat(events).containsExactlyInAnyOrder("booked for bob", "closed for carol");
        });
    }

    @Test
    void decisionIsMadeOnTheThreadOfTheCallerAndOtherAdviceRunsInTheTask() {
        String caller = Thread.currentThread().getName();
        login("teller");
        withOtherAdvice(contexts, AFTER_SECURITY).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.transfer("alice").get(30, TimeUnit.SECONDS)).startsWith("ordered-executor-");
            assertThat(events)
                    .hasSize(3)
                    .startsWith("decision on alice on " + caller)
                    .endsWith("transferred")
                    .element(1)
                    .asString()
                    .startsWith("other advice on ordered-executor-");
            events.clear();
            assertThatThrownBy(() -> service.transfer("mallory")).isInstanceOf(AccessDeniedException.class);
            assertThat(events).containsExactly("decision on mallory on " + caller);
        });
    }

    @Test
    void argumentsAreFilteredBeforeTheCallIsQueued() {
        login("teller");
        contexts.run(context -> {
            List<String> accounts = new ArrayList<>(List.of("alice", "mallory"));
            CompletableFuture<List<String>> booked =
                    context.getBean(Service.class).bookAll("batch", accounts);
            assertThat(accounts).containsExactly("alice");
            assertThat(booked.get(30, TimeUnit.SECONDS)).containsExactly("alice");
        });
    }

    @Test
    void securityBehindOtherAdviceIsRefusedUntilItsOffsetPutsItFirst() {
        withOtherAdvice(contexts, BEFORE_SECURITY)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "Service.",
                        "Spring Security is behind other advice, so it would check the call inside the task",
                        "Put the advice of Spring Security first: change the offset of @EnableMethodSecurity"));
        withOtherAdvice(services.withUserConfiguration(MethodSecurityFirst.class), BEFORE_SECURITY)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Their post-processors put them in front of all advice, also where only another method has the annotation. */
    @Test
    void adviceThatDoesNotGoByTheOrderOfAdviceRunsInTheTask() {
        String caller = Thread.currentThread().getName();
        login("teller");
        CONTEXTS.withBean("guard", Guard.class, () -> new Guard(events))
                .withBean(Resilient.class)
                .withUserConfiguration(MethodSecurity.class, SpringsOwn.class)
                .run(context -> {
                    Resilient service = context.getBean(Resilient.class);
                    assertThat(service.retried("alice").get(30, TimeUnit.SECONDS))
                            .isEqualTo("attempt 2");
                    assertThat(service.limited("bob").get(30, TimeUnit.SECONDS)).isEqualTo("attempt 3");
                    assertThat(events)
                            .containsExactly("decision on alice on " + caller, "decision on bob on " + caller);
                    assertThatThrownBy(() -> service.retried("mallory")).isInstanceOf(AccessDeniedException.class);
                });
    }

    /** The order of their advice is none of our business. */
    @Test
    void methodsThatAreNotOrderedAreCheckedWhereTheyWere() {
        String caller = Thread.currentThread().getName();
        CONTEXTS.withBean("guard", Guard.class, () -> new Guard(events))
                .withBean(Resilient.class)
                .withUserConfiguration(MethodSecurity.class, SpringsOwn.class)
                .run(context -> {
                    Resilient service = context.getBean(Resilient.class);
                    String thread = service.unordered("carol").get(30, TimeUnit.SECONDS);
                    service.plain("dave");
                    assertThat(thread).isNotEqualTo(caller);
                    assertThat(events)
                            .containsExactly("decision on carol on " + thread, "decision on dave on " + caller);
                });
    }

    @Test
    void decisionOnTheResultIsRefused() {
        assertRefused(
                ChecksTheResult.class,
                "ChecksTheResult.handle(",
                "@PostAuthorize looks at the result of the method, which the caller does not wait for",
                "Decide before the call, with @PreAuthorize");
        assertRefused(
                FiltersTheResult.class,
                "FiltersTheResult.handle(",
                "@PostFilter looks at the result",
                "with @PreAuthorize");
    }

    private static void login(String role) {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("someone", "", "ROLE_" + role));
    }

    private ApplicationContextRunner withOtherAdvice(ApplicationContextRunner runner, int order) {
        MethodInterceptor other = call -> {
            events.add("other advice on " + Thread.currentThread().getName());
            return call.proceed();
        };
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(new OfService(), other);
        advisor.setOrder(order);
        return runner.withBean(
                "other",
                DefaultPointcutAdvisor.class,
                () -> advisor,
                definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
    }

    private static final class OfService extends StaticMethodMatcherPointcut {
        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return Service.class.isAssignableFrom(targetClass);
        }
    }

    @EnableMethodSecurity(securedEnabled = true)
    @Configuration(proxyBeanMethods = false)
    static class MethodSecurity {}

    @EnableMethodSecurity(securedEnabled = true, offset = -1000)
    @Configuration(proxyBeanMethods = false)
    static class MethodSecurityFirst {}

    /** Decides on accounts, for the expressions of Spring Security. */
    record Guard(List<String> events) {
        public boolean allows(String account) {
            events.add(
                    "decision on " + account + " on " + Thread.currentThread().getName());
            return !account.equals("mallory");
        }
    }

    static class Service {
        private final List<String> events;

        Service(List<String> events) {
            this.events = events;
        }

        @PreAuthorize("hasRole('teller')")
        @OrderedAsync(stripe = "#account")
        public void book(String account) {
            events.add("booked for " + account);
        }

        @Secured("ROLE_teller")
        @OrderedAsync(stripe = "#account")
        public void close(String account) {
            events.add("closed for " + account);
        }

        @PreAuthorize("@guard.allows(#account)")
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> transfer(String account) {
            events.add("transferred");
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @PreFilter(value = "filterObject != 'mallory'", filterTarget = "accounts")
        @OrderedAsync(stripe = "#batch")
        public CompletableFuture<List<String>> bookAll(String batch, List<String> accounts) {
            return CompletableFuture.completedFuture(List.copyOf(accounts));
        }
    }

    @EnableResilientMethods
    @EnableAsync
    @Configuration(proxyBeanMethods = false)
    static class SpringsOwn {}

    static class Resilient {
        private final AtomicInteger attempts = new AtomicInteger();

        @PreAuthorize("@guard.allows(#account)")
        @OrderedAsync(stripe = "#account")
        @Retryable(maxRetries = 1, delay = 1)
        public CompletableFuture<String> retried(String account) {
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("the first attempt");
            }
            return CompletableFuture.completedFuture("attempt " + attempts.get());
        }

        @PreAuthorize("@guard.allows(#account)")
        @OrderedAsync(stripe = "#account")
        @ConcurrencyLimit(1)
        public CompletableFuture<String> limited(String account) {
            return CompletableFuture.completedFuture("attempt " + attempts.incrementAndGet());
        }

        @PreAuthorize("@guard.allows(#account)")
        @Async
        public CompletableFuture<String> unordered(String account) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @PreAuthorize("@guard.allows(#account)")
        public void plain(String account) {}
    }

    static class ChecksTheResult {
        @PostAuthorize("true")
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }

    @PostFilter("true")
    static class FiltersTheResult {
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }
}
