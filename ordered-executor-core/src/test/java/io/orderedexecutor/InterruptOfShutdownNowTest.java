package io.orderedexecutor;

import static net.bytebuddy.matcher.ElementMatchers.is;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R9: before a task runs, its thread clears an interrupt that a listener has left, and looks whether the executor
 * stops. A {@code shutdownNow} between any two of these steps interrupts the task. The test loads the core once more,
 * with a call of this test in place of {@link Thread#interrupted}.
 */
class InterruptOfShutdownNowTest {

    /** When the executor stops. */
    public enum Moment {
        BEFORE_THE_INTERRUPT_IS_CLEARED,
        AFTER_THE_INTERRUPT_IS_CLEARED
    }

    /** Used by the test, and by the core that the test has loaded. */
    public static final class Clearing {
        private static Moment moment = Moment.BEFORE_THE_INTERRUPT_IS_CLEARED;
        private static Runnable shutdown = () -> {};

        private Clearing() {}

        /** Stops the executor the first time. */
        public static void arm(Moment when, Runnable shutdownNow) {
            moment = when;
            shutdown = shutdownNow;
        }

        /** Called in place of {@link Thread#interrupted}. */
        public static boolean interrupted() {
            Runnable shutdownNow = shutdown;
            shutdown = () -> {};
            if (moment == Moment.BEFORE_THE_INTERRUPT_IS_CLEARED) {
                shutdownNow.run();
            }
            boolean wasInterrupted = Thread.interrupted();
            if (moment == Moment.AFTER_THE_INTERRUPT_IS_CLEARED) {
                shutdownNow.run();
            }
            return wasInterrupted;
        }
    }

    /** Runs a task while its executor stops, and returns what was seen. Loaded with the core. */
    public static final class Scenario implements Function<Moment, List<String>> {
        @Override
        public List<String> apply(Moment moment) {
            List<String> seen = new ArrayList<>();
            SteppedExecutor stepped = new SteppedExecutor();
            StripedExecutor executor = StripedExecutor.builder()
                    .executor(stepped)
                    .listener(new TaskListener() {})
                    .build();
            executor.execute(
                    "a", () -> seen.add("interrupted: " + Thread.currentThread().isInterrupted()));
            Clearing.arm(moment, () -> {
                seen.add("stops");
                executor.shutdownNow();
            });
            stepped.runAll();
            seen.add("terminated: " + executor.isTerminated());
            return seen;
        }
    }

    /** Loads the core anew. */
    private static final class Loader extends ClassLoader {
        private final ClassFileLocator files = ClassFileLocator.ForClassLoader.of(getParent());

        Loader() {
            super(Scenario.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean isOfTheTest = name.equals(Clearing.class.getName()) || name.equals(Moment.class.getName());
            if (isOfTheTest || !name.startsWith("io.orderedexecutor.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) {
            try {
                byte[] code = name.equals(Service.class.getName())
                        ? service()
                        : files.locate(name).resolve();
                return defineClass(name, code, 0, code.length);
            } catch (Exception e) {
                throw new AssertionError("could not load " + name, e);
            }
        }

        private byte[] service() throws NoSuchMethodException {
            var type =
                    TypePool.Default.of(files).describe(Service.class.getName()).resolve();
            return new ByteBuddy()
                    .redefine(type, files)
                    .visit(MemberSubstitution.relaxed()
                            .method(is(Thread.class.getMethod("interrupted")))
                            .replaceWith(Clearing.class.getMethod("interrupted"))
                            .on(named("start")))
                    .make()
                    .getBytes();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an interrupt of shutdownNow reaches a task of whose start a listener has just been told")
    void isNotLost(Moment moment) throws Exception {
        @SuppressWarnings("unchecked") // of the loader's class, which this class does not know
        var scenario = (Function<Moment, List<String>>) new Loader()
                .loadClass(Scenario.class.getName())
                .getConstructor()
                .newInstance();
        assertThat(scenario.apply(moment)).containsExactly("stops", "interrupted: true", "terminated: true");
        assertThat(Thread.interrupted()).as("of the thread that ran it").isFalse();
    }
}
