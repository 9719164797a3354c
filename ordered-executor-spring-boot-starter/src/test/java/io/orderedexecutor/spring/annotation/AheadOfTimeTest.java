package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.AllAutoConfigurations;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * An application with all parts, and transactional listeners, that is processed at build time: as for a native image.
 */
class AheadOfTimeTest {
    @TempDir
    private Path files;

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @AllAutoConfigurations
    static class Application {
        @Bean
        EmptyTransactions transactions() {
            return new EmptyTransactions();
        }

        @Bean
        ObservationRegistry observations() {
            return ObservationRegistry.create();
        }

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    public record Booked(Account account) {}

    public record Account(String holder) {}

    public static class Listener {
        private final List<String> ran = new CopyOnWriteArrayList<>();

        public List<String> ran() {
            return ran;
        }

        @OrderedTransactionalEventListener(stripe = "#event.account.holder")
        public void on(Booked event) {
            ran.add(event.account().holder());
        }
    }

    @Test
    void listenersWorkWithoutAnythingFoundAtRunTime() throws Exception {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)), new FileSystemGeneratedFiles(this::root));
        String initializer = process(generation);
        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Listener.class.getMethod("on", Booked.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Booked.class.getMethod("account")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Account.class.getMethod("holder")))
                .accepts(hints);
        compile();
        assertThat(run(initializer)).containsExactly("alice", "alice", "bob");
    }

    /** With all classes of its own, as generated code uses what only its package may. */
    public static final class Run {
        private Run() {}

        /** Starts the application and returns what its listener got. */
        @SuppressWarnings("unchecked")
        public static List<String> run(String initializer) throws Exception {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                ((ApplicationContextInitializer<GenericApplicationContext>) Class.forName(initializer)
                                .asSubclass(ApplicationContextInitializer.class)
                                .getDeclaredConstructor()
                                .newInstance())
                        .initialize(context);
                context.refresh();
                assertThat(context.getBeanDefinitionNames())
                        .contains(
                                "orderedExecutorMetrics",
                                "orderedTransactionsMetrics",
                                "orderedExecutorsEndpoint",
                                "orderedExecutorsEndpointWebExtension",
                                "orderedTimelineEndpoint",
                                "orderedexecutorsHealthContributor",
                                "orderedAsyncObservations");
                StripedExecutor executor = context.getBean(StripedExecutor.class);
                EmptyTransactions transactions = context.getBean(EmptyTransactions.class);
                transactions.atCommit =
                        () -> assertThat(executor.inspect().reserved().count()).isEqualTo(1);
                for (String holder : List.of("alice", "alice", "bob")) {
                    transactions.run(() -> context.publishEvent(new Booked(new Account(holder))));
                    assertThat(executor.awaitIdle(Duration.ofSeconds(30))).isTrue();
                }
                return context.getBean(Listener.class).ran();
            }
        }
    }

    private static String process(DefaultGenerationContext generation) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(
                            "ordered-executor.observations.enabled=true",
                            "management.endpoints.web.exposure.include=*",
                            "management.endpoint.orderedtimeline.access=UNRESTRICTED")
                    .applyTo(context);
            context.register(Application.class);
            ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
            return initializer.reflectionName();
        }
    }

    private void compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-cp"));
        arguments.add(System.getProperty("java.class.path"));
        arguments.addAll(List.of("-d", files.toString()));
        try (Stream<Path> all = Files.walk(root(Kind.SOURCE))) {
            all.map(Path::toString).filter(each -> each.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private Path root(Kind kind) {
        return kind == Kind.SOURCE ? files.resolve("sources") : files;
    }

    @SuppressWarnings("unchecked")
    private List<String> run(String initializer) throws Exception {
        List<URL> urls = new ArrayList<>();
        urls.add(files.toUri().toURL());
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(each).toUri().toURL());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader own = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(own);
            return (List<String>) own.loadClass(Run.class.getName())
                    .getMethod("run", String.class)
                    .invoke(null, initializer);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
