package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

/** What remains of an application that ends while its JVM goes on: nothing, whoever has ended it. */
class RestartTest {
    private final Set<Thread> before = new HashSet<>();

    @BeforeEach
    void lookBefore() {
        before.addAll(Thread.getAllStackTraces().keySet());
    }

    /** The threads of executors, and of what else the library has started. */
    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.matches("(orders|stripedExecutor|groupedExecutor|ordered-executor).*"))
                .toList();
    }

    private void assertNothingIsLeft() {
        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Configuration(proxyBeanMethods = false)
    @AllAutoConfigurations
    static class Application {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @OrderedAsync(stripe = "#customer")
        CompletableFuture<String> book(String customer) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    private static void use(ConfigurableApplicationContext application) throws Exception {
        String thread = application.getBean(Orders.class).book("alice").get(30, TimeUnit.SECONDS);
        assertThat(thread).startsWith("ordered-executor");
    }

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--spring.main.banner-mode=off", "--ordered-executor.warn-after=1h");
    }

    @Test
    void aClosedContext() throws Exception {
        try (ConfigurableApplicationContext application = start()) {
            use(application);
            assertThat(threads()).isNotEmpty();
        }
        assertNothingIsLeft();
    }

    @Test
    void aContextThatIsRefreshed() throws Exception {
        try (AnnotationConfigWebApplicationContext application = new AnnotationConfigWebApplicationContext()) {
            application.setServletContext(new MockServletContext());
            application.register(Application.class);
            StripedExecutor last = null;
            for (int i = 0; i < 2; i++) {
                application.refresh();
                assertThat(last == null || last.isTerminated()).isTrue();
                use(application);
                last = application.getBean(StripedExecutor.class);
            }
        }
        assertNothingIsLeft();
    }

    @SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
    static class Dirty {}

    @Test
    void aContextThatATestHasMadeDirty() throws Exception {
        TestContext test = new TestContextManager(Dirty.class).getTestContext();
        ConfigurableApplicationContext first = (ConfigurableApplicationContext) test.getApplicationContext();
        use(first);
        test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        assertNothingIsLeft();
        ConfigurableApplicationContext second = (ConfigurableApplicationContext) test.getApplicationContext();
        assertThat(second).isNotSameAs(first);
        use(second);
        test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        assertNothingIsLeft();
    }

    /** As DevTools restart an application: its own classes in a class loader that is thrown away. */
    public static final class Reloaded implements Callable<Class<?>> {
        @Override
        public Class<?> call() throws Exception {
            try (ConfigurableApplicationContext application = start()) {
                use(application);
            }
            return Application.class;
        }
    }

    @Test
    void aRestartWithNewClasses() throws Exception {
        ClassLoader thrownAway = runReloaded();
        assertNothingIsLeft();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getContextClassLoader() == thrownAway);
    }

    private static ClassLoader runReloaded() throws Exception {
        URL classes = RestartTest.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader parent = RestartTest.class.getClassLoader();
        URLClassLoader reloading = new URLClassLoader(new URL[] {classes}, parent) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (!name.startsWith(RestartTest.class.getName())) {
                    return super.loadClass(name, resolve);
                }
                synchronized (getClassLoadingLock(name)) {
                    Class<?> loaded = findLoadedClass(name);
                    return loaded == null ? findClass(name) : loaded;
                }
            }
        };
        Thread thread = Thread.currentThread();
        ClassLoader ofTest = thread.getContextClassLoader();
        thread.setContextClassLoader(reloading);
        try (reloading) {
            Object run = reloading
                    .loadClass(Reloaded.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            Class<?> application = (Class<?>) ((Callable<?>) run).call();
            assertThat(application.getClassLoader()).isSameAs(reloading);
        } finally {
            thread.setContextClassLoader(ofTest);
        }
        return reloading;
    }
}
