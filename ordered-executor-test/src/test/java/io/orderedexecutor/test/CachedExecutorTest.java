package io.orderedexecutor.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherFactory;

/** What another test class has built before, as Spring does with a context that it keeps, is part of a simulation. */
class CachedExecutorTest {

    /** What happens in a JVM whose first test builds an executor and knows nothing of simulations. */
    public static final class Jvm {
        private Jvm() {}

        /** Runs the session of JUnit; called by reflection, where all classes are loaded anew. */
        public static int run() {
            int[] runs = new int[1];
            try (LauncherSession session = LauncherFactory.openSession()) {
                assertThat(session).isNotNull();
                StripedExecutor early = StripedExecutor.builder().name("early").build();
                SimulationRunner.named("later").runs(10).run(simulation -> {
                    simulation.thread(
                            "caller", () -> early.submit("alice", () -> "done").join());
                    simulation.run();
                    SimulationAssert.assertThat(simulation).started("alice", 1).isIdle();
                    runs[0]++;
                });
            }
            return runs[0];
        }
    }

    @Test
    void anExecutorThatWasBuiltBeforeTheFirstSimulationIsPartOfIt() throws Exception {
        URL[] classes = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .map(CachedExecutorTest::toUrl)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader another = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(another);
            Object runs =
                    another.loadClass(Jvm.class.getName()).getMethod("run").invoke(null);
            assertThat(runs).isEqualTo(10);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL toUrl(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
