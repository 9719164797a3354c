package io.orderedexecutor.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.kafka.Broker;
import io.orderedexecutor.kafka.OrderedByKey;
import io.orderedexecutor.kafka.OrderedMessageListenerContainer;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.javapoet.ClassName;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;

/** An application whose beans are registered by code that was generated at build time, as for a native image. */
class AheadOfTimeIT {
    @TempDir
    private Path files;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        final List<String> done = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "orders", topics = "${topic}")
        @OrderedByKey(key = "#record.key().substring(0, 5)")
        void on(ConsumerRecord<String, String> record) {
            done.add(record.key() + "/" + record.value());
        }
    }

    /** With all classes of its own, as generated code uses what only its package may. */
    public static final class Run {
        private Run() {}

        /** Starts the application and returns what its listener got. */
        public static List<String> run(String initializer, Map<String, Object> properties) throws Exception {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                context.setEnvironment(environment(properties));
                initializer(initializer).initialize(context);
                context.refresh();
                Application application = context.getBean(Application.class);
                await().atMost(Duration.ofSeconds(30)).until(() -> application.done.size() == 40);
                OrderedMessageListenerContainer<?, ?> container = (OrderedMessageListenerContainer<?, ?>)
                        context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("orders");
                assertThat(container.getSettings().window()).isEqualTo(7);
                assertThat(container.getExecutor().name()).isEqualTo("own");
                return application.done;
            }
        }

        @SuppressWarnings("unchecked")
        private static ApplicationContextInitializer<GenericApplicationContext> initializer(String name)
                throws ReflectiveOperationException {
            return (ApplicationContextInitializer<GenericApplicationContext>) Class.forName(name)
                    .asSubclass(ApplicationContextInitializer.class)
                    .getDeclaredConstructor()
                    .newInstance();
        }
    }

    private static ConfigurableEnvironment environment(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addLast(new MapPropertySource("application", properties));
        return environment;
    }

    @Test
    void recordsRunInOrderWithoutAnythingFoundAtRunTime() throws Exception {
        String topic = Broker.topic(1);
        OrderedByKeyIT.send(topic, 40, 4);
        Map<String, Object> properties = Map.of(
                "spring.kafka.bootstrap-servers", Broker.servers(),
                "spring.kafka.consumer.auto-offset-reset", "earliest",
                "ordered-executor.striped.own.threads", "4",
                "ordered-executor.kafka.listeners.orders.executor", "own",
                "ordered-executor.kafka.listeners.orders.window", "7",
                "topic", topic);
        String initializer = generate(properties);
        List<String> done = run(initializer, properties);
        for (int key = 0; key < 4; key++) {
            String prefix = "key-" + key + "/";
            assertThat(done.stream()
                            .filter(each -> each.startsWith(prefix))
                            .map(each -> Integer.parseInt(each.substring(prefix.length()))))
                    .isSorted()
                    .hasSize(10);
        }
    }

    /** Generates and compiles, as the build of an application does. */
    private String generate(Map<String, Object> properties) throws IOException {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(Application.class)), new FileSystemGeneratedFiles(this::root));
        ClassName initializer;
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setEnvironment(environment(properties));
            context.register(Application.class);
            initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-cp"));
        arguments.add(System.getProperty("java.class.path"));
        arguments.addAll(List.of("-d", files.toString()));
        try (Stream<Path> all = Files.walk(root(Kind.SOURCE))) {
            all.map(Path::toString).filter(each -> each.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return initializer.reflectionName();
    }

    private Path root(Kind kind) {
        return kind == Kind.SOURCE ? files.resolve("sources") : files;
    }

    @SuppressWarnings("unchecked")
    private List<String> run(String initializer, Map<String, Object> properties) throws Exception {
        List<URL> urls = new ArrayList<>();
        urls.add(files.toUri().toURL());
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(each).toUri().toURL());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader own = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(own);
            return (List<String>) own.loadClass(Run.class.getName())
                    .getMethod("run", String.class, Map.class)
                    .invoke(null, initializer, properties);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
