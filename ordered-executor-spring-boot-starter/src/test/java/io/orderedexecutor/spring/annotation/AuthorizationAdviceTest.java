package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PostFilter;
import org.springframework.security.authorization.method.AuthorizationAdvisor;

class AuthorizationAdviceTest {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner contexts = CONTEXTS.withBean(Service.class, () -> new Service(events));

    @Test
    void isTakenOnTheThreadOfTheCaller() {
        String caller = Thread.currentThread().getName();
        withAdvisors(10, 20).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.book("alice").get(30, TimeUnit.SECONDS)).startsWith("stripedExecutor-");
            assertThat(events)
                    .hasSize(3)
                    .startsWith("authorization of alice on " + caller)
                    .element(1)
                    .asString()
                    .startsWith("other advice on stripedExecutor-");
            events.clear();
            assertThatThrownBy(() -> service.book("mallory"))
                    .isInstanceOf(SecurityException.class)
                    .hasMessage("mallory is denied");
            assertThat(events).containsExactly("authorization of mallory on " + caller);
        });
    }

    @Test
    void behindOtherAdviceIsRefused() {
        withAdvisors(20, 10)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "Service.book(String)",
                        "Spring Security decides on the call behind other advice, inside the task",
                        "Put the advice of Spring Security first"));
    }

    @Test
    void ofTheResultIsRefused() {
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

    private ApplicationContextRunner withAdvisors(int orderOfAuthorization, int orderOfOther) {
        MethodInterceptor other = call -> {
            events.add("other advice on " + Thread.currentThread().getName());
            return call.proceed();
        };
        DefaultPointcutAdvisor otherAdvisor = new DefaultPointcutAdvisor(new OfService(), other);
        otherAdvisor.setOrder(orderOfOther);
        return contexts.withBean(
                        "authorization",
                        Authorization.class,
                        () -> new Authorization(orderOfAuthorization, events),
                        definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
                .withBean(
                        "other",
                        DefaultPointcutAdvisor.class,
                        () -> otherAdvisor,
                        definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
    }

    private static final class OfService extends StaticMethodMatcherPointcut {
        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return Service.class.isAssignableFrom(targetClass)
                    && method.getName().equals("book");
        }
    }

    private record Authorization(int order, List<String> events) implements AuthorizationAdvisor {
        @Override
        public Object invoke(MethodInvocation call) throws Throwable {
            Object user = call.getArguments()[0];
            events.add(
                    "authorization of " + user + " on " + Thread.currentThread().getName());
            if (user.equals("mallory")) {
                throw new SecurityException("mallory is denied");
            }
            return call.proceed();
        }

        @Override
        public int getOrder() {
            return order;
        }

        @Override
        public Pointcut getPointcut() {
            return new OfService();
        }

        @Override
        public Advice getAdvice() {
            return this;
        }
    }

    static class Service {
        private final List<String> events;

        Service(List<String> events) {
            this.events = events;
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> book(String account) {
            events.add("booked");
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    static class ChecksTheResult {
        @PostAuthorize
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }

    @PostFilter
    static class FiltersTheResult {
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }
}
