package io.orderedexecutor.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Tells the JVM of a subject which class calls the core that it has. {@code EarlierCore} is a source until there is a
 * build to compile it against, since its calls are of an API that this build may have left.
 */
final class CoreClasses {
    private static final String PROPERTY = "benchmarks.core";
    private static final String EARLIER = "EarlierCore";

    private CoreClasses() {}

    static Core present() {
        String name = System.getProperty(PROPERTY, TodaysCore.class.getName());
        try {
            Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
            return (Core) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(name + " cannot be used", e);
        }
    }

    /**
     * What the JVM of a subject needs for another build of the core.
     *
     * @param classPath what goes before the classes of this build
     * @param jvmArguments which class calls the core; none if it is that of this build
     */
    record Earlier(String classPath, List<String> jvmArguments) {

        /** A build that {@code EarlierCore} does not fit is one with the API of this build. */
        static Earlier of(Path jar) {
            try {
                Path classes = Files.createTempDirectory("earlier-core");
                String complaints = compile(jar, classes);
                if (complaints.isEmpty()) {
                    return new Earlier(
                            classes + File.pathSeparator + jar,
                            List.of("-D" + PROPERTY + "=" + Earlier.class.getPackageName() + "." + EARLIER));
                }
                System.err.println(jar + " is called as this build is, since it has another API than a758ad8:\n"
                        + complaints.lines().limit(1).findFirst().orElse(""));
                return new Earlier(jar.toString(), List.of());
            } catch (IOException failure) {
                throw new IllegalStateException("no class was made that calls " + jar, failure);
            }
        }
    }

    /** Returns what the compiler has to say; nothing if all is well. */
    static String compile(Path jar, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("--before needs a JDK: this Java has no compiler");
        }
        Path source = classes.resolve(EARLIER + ".java");
        try (InputStream in = CoreClasses.class.getResourceAsStream(EARLIER + ".java")) {
            if (in == null) {
                throw new IllegalStateException(EARLIER + ".java is not beside the classes of the benchmarks");
            }
            Files.copy(in, source);
        }
        String classPath = jar + File.pathSeparator + System.getProperty("java.class.path");
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean done = compiler.getTask(
                            complaints,
                            files,
                            null,
                            List.of("-proc:none", "-nowarn", "-cp", classPath, "-d", classes.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            return done ? "" : complaints + "\n";
        }
    }
}
