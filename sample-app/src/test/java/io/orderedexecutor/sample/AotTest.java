package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.accounts.Event;
import io.orderedexecutor.sample.fixtures.Http;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The application as ahead-of-time processing leaves it. Does what the goal {@code process-aot} of Spring Boot's plugin
 * does: runs its processor, compiles what that writes, and starts the application with it, all in JVMs of their own.
 */
@Timeout(180)
class AotTest {
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    @TempDir
    Path directory;

    @Test
    void applicationProcessedAheadOfTimeRuns() throws Exception {
        Path classes = directory.resolve("classes");
        List<String> processor = java(classPath());
        processor.addAll(List.of(
                "org.springframework.boot.SpringApplicationAotProcessor",
                SampleApplication.class.getName(),
                directory.resolve("sources").toString(),
                directory.resolve("resources").toString(),
                classes.toString(),
                "io.orderedexecutor",
                "sample-app"));
        Process processing = start(processor);
        String output = new String(processing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(processing.waitFor()).as(output).isZero();
        compile(directory.resolve("sources"), classes);
        assertThat(Files.readString(only("reachability-metadata.json")))
                .as("what SpEL and Jackson use is known to a native image")
                .contains(Event.class.getName(), "events.Bulk$EventError", "live.Journal$News", "live.Moment");

        List<String> command =
                java(classes + File.pathSeparator + directory.resolve("resources") + File.pathSeparator + classPath());
        command.addAll(1, List.of("-Dspring.aot.enabled=true"));
        command.addAll(List.of(SampleApplication.class.getName(), "--server.port=0"));
        Process application = start(command);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(application.getInputStream(), StandardCharsets.UTF_8))) {
            StringWriter log = new StringWriter();
            Http http = new Http(portIn(lines, log));
            assertThat(log.toString()).contains("Starting AOT-processed SampleApplication");
            assertThat(http.events("/events", Http.deposit("jan", 10)).number("accepted"))
                    .isEqualTo(1);
            assertThat(http.finalStatement("jan").number("balance")).isEqualTo(10);
            assertThat(http.get("/savings").json().toString()).isEqualTo("{\"accounts\":4,\"balance\":4000}");
            assertThat(http.get("/actuator/orderedexecutors")
                            .json()
                            .path("executors")
                            .propertyNames())
                    .contains("ordered-executor", "orderedOutputExecutor", "oneKey", "severalKeys");
        } finally {
            application.destroy();
            assertThat(application.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
    }

    private static List<String> java(String classPath) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath));
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static int portIn(BufferedReader lines, StringWriter log) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            log.append(line).append('\n');
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                return Integer.parseInt(port.group(1));
            }
        }
        throw new AssertionError("the application ended:\n" + log);
    }

    private static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Path> files;
        try (Stream<Path> all = Files.walk(sources)) {
            files = all.filter(file -> file.toString().endsWith(".java")).toList();
        }
        assertThat(files).isNotEmpty();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
            boolean compiled = compiler.getTask(
                            messages,
                            manager,
                            null,
                            List.of(
                                    "-proc:none",
                                    "-parameters",
                                    "-nowarn",
                                    "-cp",
                                    classes + File.pathSeparator + classPath(),
                                    "-d",
                                    classes.toString()),
                            null,
                            units)
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    private Path only(String name) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.endsWith(name)).findAny().orElseThrow();
        }
    }
}
