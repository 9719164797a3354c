package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.context.ContextRegistry;
import io.orderedexecutor.*;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.*;
import java.util.concurrent.*;
import org.junit.jupiter.api.Test;
import org.springframework.boot.*;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.*;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.context.annotation.*;

class ProbeTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, LifecycleAutoConfiguration.class));

    static void say(Object o) { System.out.println("PROBE " + o); }

    private ApplicationContextRunner yaml(String text, Map<String, Object> env) {
        return contexts.withInitializer(c -> {
            try {
                MutablePropertySources s = c.getEnvironment().getPropertySources();
                new YamlPropertySourceLoader().load("probe.yml", new ByteArrayResource(text.getBytes(), "probe.yml")).forEach(s::addLast);
                s.addFirst(new SystemEnvironmentPropertySource("x-systemEnvironment", env));
            } catch (Exception e) { throw new RuntimeException(e); }
        });
    }

    @Test void env() {
        for (String name : List.of("order-events", "orderEvents", "orders")) {
            yaml("ordered-executor:\n  striped:\n    " + name + ":\n      capacity: 5\n",
                Map.of("ORDERED_EXECUTOR_STRIPED_" + name.replace("-", "").toUpperCase() + "_CAPACITY", "7")).run(c -> {
                    if (c.getStartupFailure() != null) { say("env " + name + " FAIL " + c.getStartupFailure()); return; }
                    c.getBeansOfType(StripedExecutor.class).forEach((n, e) -> say("env " + name + ": " + n + " capacity " + e.settings().capacity()));
                });
        }
        yaml("", Map.of("ORDERED_EXECUTOR_STRIPED_ORDERS_STRIPECAPACITY", "7", "ORDERED_EXECUTOR_DEFAULTS_TURN_TASKS", "9", "ORDERED_EXECUTOR_STRIPED_ORDERS_FAILURE_POLICY","park")).run(c -> {
                    if (c.getStartupFailure() != null) { say("env only FAIL " + c.getStartupFailure()); return; }
                    c.getBeansOfType(StripedExecutor.class).forEach((n, e) -> say("env only: " + n + " " + e.settings()));
                });
    }

    @Test void empty() {
        for (String text : List.of("ordered-executor:\n  striped:\n    orders: {}\n", "ordered-executor:\n  striped:\n    orders:\n", "ordered-executor:\n  striped: {}\n", "ordered-executor:\n  striped:\n", "ordered-executor:\n  striped:\n    orders:\n      turn:\n", "ordered-executor:\n  striped:\n    orders:\n      capacity:\n", "ordered-executor:\n  defaults:\n    threads: ''\n    overflow: ''\n", "ordered-executor:\n  metrics:\n"))
            yaml(text, Map.of()).run(c -> {
                if (c.getStartupFailure() != null) { Throwable t = c.getStartupFailure(); while (t.getCause() != null && !(t instanceof OrderedExecutorPropertyException)) t = t.getCause(); say("empty " + text.replace("\n", "|") + " FAIL " + t); return; }
                say("empty " + text.replace("\n", "|") + " " + c.getBeansOfType(StripedExecutor.class).keySet());
            });
    }

    @Test void parked() {
        for (String policy : List.of("park", "paused", "key")) {
            long[] t = new long[1];
            contexts.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=4s", "ordered-executor.defaults.failure-policy=park").run(c -> {
                StripedExecutor e = c.getBean(StripedExecutor.class);
                if (policy.equals("park")) { e.execute("a", () -> { throw new IllegalStateException("x"); }); while (e.parkedStripes().isEmpty()) Thread.sleep(5); }
                if (policy.equals("paused")) { e.pause(); e.execute("a", () -> {}); }
                if (policy.equals("key")) { e.pause("a"); e.execute("a", () -> {}); }
                t[0] = System.nanoTime();
                c.close();
                say("close with " + policy + " took ms " + (System.nanoTime() - t[0]) / 1000000);
            });
        }
    }

    @Test void lazy() {
        contexts.withInitializer(context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
            .withPropertyValues("ordered-executor.striped.orders.threads=1").run(c -> {
                StripedExecutor e = c.getBean("orders", StripedExecutor.class);
                CompletableFuture<Integer> stage = new CompletableFuture<>();
                var f = e.submitAsync("a", () -> stage);
                var g = e.submit("a", () -> "g");
                stage.completeOnTimeout(1, 300, TimeUnit.MILLISECONDS);
                c.close();
                say("lazy: " + f + " " + g);
            });
    }

    public static class A { final B b; A(B b) { this.b = b; }
        @OrderedAsync(stripe = "#id") public CompletableFuture<String> a(String id) { return b.b(id); }
        @OrderedAsync(stripe = "#id") public CompletableFuture<String> derived(String id) { return b.b(id).thenApply(x -> x); }
        @OrderedAsync(groups = "#id") public CompletableFuture<String> ga(String id) { return b.gb(id); }
    }
    public static class B { @OrderedAsync(stripe = "#id") public CompletableFuture<String> b(String id) { return CompletableFuture.completedFuture("b"); }
        @OrderedAsync(groups = "#id") public CompletableFuture<String> gb(String id) { return CompletableFuture.completedFuture("b"); } }

    @Test void nested() {
        contexts.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1s").withBean(A.class).withBean(B.class).run(c -> {
            for (String what : List.of("a", "derived", "ga")) {
                A a = c.getBean(A.class);
                CompletableFuture<String> f = what.equals("a") ? a.a("x1") : what.equals("ga") ? a.ga("x2") : a.derived("x3");
                try { say("nested " + what + " " + f.get(2, TimeUnit.SECONDS)); } catch (Exception e) { say("nested " + what + " " + e); }
            }
        });
    }

    static final ThreadLocal<String> USER = new ThreadLocal<>();
    static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();
    public static class C {
        @OrderedAsync(stripe = "#id", executor = "pooled") public CompletableFuture<String> user(String id, CountDownLatch l) throws Exception { if (l != null) l.await(); return CompletableFuture.completedFuture(USER.get() + " " + INHERITED.get() + " on " + Thread.currentThread().getName()); } }

    @Test void leak() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("probe.user", USER);
        contexts.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class)).withBean(C.class)
          .withPropertyValues("spring.task.execution.propagate-context=true", "spring.task.execution.pool.core-size=1", "ordered-executor.striped.pooled.executor=applicationTaskExecutor").run(c -> {
            C bean = c.getBean(C.class);
            CountDownLatch l = new CountDownLatch(1);
            USER.set("alice"); INHERITED.set("alice");
            var first = bean.user("1", l);
            USER.remove(); INHERITED.remove();
            var second = bean.user("1", null); var third = bean.user("2", null);
            l.countDown();
            say("leak first " + first.get() + " second " + second.get() + " third " + third.get());
        });
        contexts.withBean(C.class).withPropertyValues("ordered-executor.striped.pooled.threads=1").run(c -> {
            C bean = c.getBean(C.class);
            INHERITED.set("alice");
            say("inherit first " + bean.user("1", null).get());
            INHERITED.remove();
            say("inherit second " + bean.user("1", null).get());
        });
        ContextRegistry.getInstance().removeThreadLocalAccessor("probe.user");
    }
}
