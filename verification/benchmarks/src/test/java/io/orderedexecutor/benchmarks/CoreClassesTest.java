package io.orderedexecutor.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoreClassesTest {
    /** What is called of the core, as it was at commit a758ad8. */
    private static final String SIGNATURES = """
            public interface TaskListener {
                default void queued(Object key, Object task) {}
                default void started(Object key, Object task, long nanosQueued) {}
                default void finished(Object key, Object task, long nanosRun) {}
            }
            public final class Overflow {
                public static Overflow block(java.time.Duration timeout) { return null; }
                public static Overflow discardOldest() { return null; }
            }
            public abstract class OrderedExecutorBuilder<B> {
                public final B threads(int threads) { return null; }
                public final B executor(java.util.concurrent.Executor executor) { return null; }
                public final B capacity(int capacity) { return null; }
                public final B overflow(Overflow overflow) { return null; }
                public final B listener(TaskListener listener) { return null; }
            }
            public final class StripedExecutorBuilder extends OrderedExecutorBuilder<StripedExecutorBuilder> {
                public StripedExecutorBuilder stripeCapacity(int stripeCapacity) { return null; }
                public StripedExecutor build() { return null; }
            }
            public class StripeControl {
                public Object settings() { return null; }
                public Object stats() { return null; }
                public Object rejections() { return null; }
                public Object whenBusyStats() { return null; }
                public Object runningTasks() { return null; }
                public Object parkedStripes() { return null; }
                public boolean isPaused() { return false; }
                public Object oldestQueuedAge() { return null; }
                public long reserved() { return 0; }
                public Object oldestReservedAge() { return null; }
                public void close() {}
            }
            public final class StripedExecutor extends StripeControl {
                public static StripedExecutorBuilder builder() { return null; }
                public void execute(Object stripe, Runnable task) {}
                public <T> java.util.concurrent.CompletableFuture<T> submitAsync(
                        Object stripe,
                        java.util.function.Supplier<? extends java.util.concurrent.CompletionStage<T>> task) {
                    return null;
                }
                public <K, T> BatcherBuilder<K, T> batchTo(
                        java.util.function.BiConsumer<? super K, ? super java.util.List<T>> handler) {
                    return null;
                }
            }
            public final class BatcherBuilder<K, T> {
                public BatcherBuilder<K, T> maxBatch(int maxBatch) { return null; }
                public Batcher<K, T> build() { return null; }
            }
            public final class Batcher<K, T> {
                public java.util.concurrent.CompletableFuture<Void> submit(K stripe, T item) { return null; }
            }
            public final class GroupedExecutorBuilder extends OrderedExecutorBuilder<GroupedExecutorBuilder> {
                public GroupedExecutor build() { return null; }
            }
            public final class GroupedExecutor {
                public static GroupedExecutorBuilder builder() { return null; }
                public void execute(Groups groups, Runnable task) {}
                public void close() {}
            }
            public final class Groups {
                public static Groups exclusive(Object... groups) { return null; }
                public static Groups shared(Object... groups) { return null; }
                public static Groups all() { return null; }
            }
            public final class OrderedOutputExecutorBuilder
                    extends OrderedExecutorBuilder<OrderedOutputExecutorBuilder> {
                public OrderedOutputExecutorBuilder window(int window) { return null; }
                public OrderedOutputExecutor build() { return null; }
            }
            public final class OrderedOutputExecutor {
                public static OrderedOutputExecutorBuilder builder() { return null; }
                public <T> OrderedOutput<T> open(java.util.function.Consumer<? super T> output) { return null; }
                public void close() {}
            }
            public final class OrderedOutput<T> {
                public java.util.concurrent.CompletableFuture<T> submit(java.util.concurrent.Callable<T> work) {
                    return null;
                }
                public void close() {}
            }
            """;

    private static final Pattern TYPE = Pattern.compile("^public [\\w ]*(?:class|interface) (\\w+)");

    /** Returns the directory of the classes, which stands for a jar. */
    private static Path build(String signatures, Path directory) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Path sources = Files.createDirectories(directory.resolve("sources"));
        Path classes = Files.createDirectories(directory.resolve("classes"));
        for (String type : signatures.split("(?m)(?=^public )", -1)) {
            Matcher name = TYPE.matcher(type);
            assertThat(name.find()).as(type).isTrue();
            Files.writeString(sources.resolve(name.group(1) + ".java"), "package io.orderedexecutor;\n" + type);
        }
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                var all = Files.list(sources)) {
            List<String> options = List.of("-proc:none", "-implicit:none", "-d", classes.toString(), "-cp", "");
            assertThat(compiler.getTask(
                                    null, files, null, options, null, files.getJavaFileObjectsFromPaths(all.toList()))
                            .call())
                    .isTrue();
        }
        return classes;
    }

    @Test
    void theCallsOfAnEarlierBuildFitItsSignatures(@TempDir Path directory) throws Exception {
        Path build = build(SIGNATURES, directory);
        Path compiled = Files.createDirectories(directory.resolve("compiled"));
        assertThat(CoreClasses.compile(build, compiled)).isEmpty();
        assertThat(compiled.resolve("io/orderedexecutor/benchmarks/EarlierCore.class"))
                .exists();

        CoreClasses.Earlier earlier = CoreClasses.Earlier.of(build);
        assertThat(earlier.jvmArguments())
                .containsExactly("-Dbenchmarks.core=io.orderedexecutor.benchmarks.EarlierCore");
    }

    @Test
    void aBuildWithOtherNamesIsCalledAsThisOne(@TempDir Path directory) throws Exception {
        Path build = build(SIGNATURES.replace("stripeCapacity", "keyCapacity"), directory);
        assertThat(CoreClasses.compile(build, Files.createDirectories(directory.resolve("compiled"))))
                .contains("stripeCapacity");

        CoreClasses.Earlier earlier = CoreClasses.Earlier.of(build);
        assertThat(earlier.jvmArguments()).isEmpty();
        assertThat(earlier.classPath()).isEqualTo(build.toString());
    }
}
