package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** An executor's own threads are like those who built it, and not like whoever submits first. */
class WorkerThreadsTest {
    private final AtomicReference<Thread> worker = new AtomicReference<>();
    private final CountDownLatch ran = new CountDownLatch(1);

    /**
     * Runs on a thread that submits the executor's first task; in a test, it is loaded by a class loader of its own.
     */
    public static final class Submitter implements Runnable {
        private final StripedExecutor executor;
        private final Runnable task;

        public Submitter(StripedExecutor executor, Runnable task) {
            this.executor = executor;
            this.task = task;
        }

        @Override
        public void run() {
            executor.execute("a", task);
        }
    }

    private void noteWorker() {
        worker.set(Thread.currentThread());
        ran.countDown();
    }

    @Test
    @DisplayName("A worker has the normal priority, whatever that of the first submitter")
    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    void priority() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        Thread submitter = new Thread(new Submitter(executor, this::noteWorker));
        submitter.setPriority(Thread.MIN_PRIORITY);
        submitter.start();
        Patience.await(ran);
        assertThat(worker.get().getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("A worker is in the thread group of the one who built the executor")
    void group() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        ThreadGroup ofSubmitter = new ThreadGroup("of the submitter");
        Thread submitter = new Thread(ofSubmitter, new Submitter(executor, this::noteWorker));
        submitter.start();
        Patience.await(ran);
        assertThat(worker.get().getThreadGroup())
                .isSameAs(Thread.currentThread().getThreadGroup());
        Patience.terminate(executor);
    }

    /** Loads the submitter's class itself, as the class loader of an application in a container does. */
    private static final class OwnLoader extends ClassLoader {
        OwnLoader() {
            super(Submitter.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Submitter.class.getName()) ? define(name) : super.loadClass(name, resolve);
        }

        private Class<?> define(String name) {
            try (InputStream in = Submitter.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length, new ProtectionDomain(null, null, this, null));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Before JDK 24, each thread keeps the access-control context of the one who makes it. */
    @Test
    @EnabledForJreRange(minVersion = 24)
    @DisplayName("a worker does not keep the class loader of the one who submitted first")
    void classLoader() throws Exception {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        WeakReference<ClassLoader> loader = submitFromLoaderOfItsOwn(executor);
        Patience.await(ran);
        Patience.letWorkersFinish(executor, 1);
        Reachability.assertCleared(List.of(loader));
        assertThat(worker.get().isAlive()).isTrue();
        Patience.terminate(executor);
    }

    private WeakReference<ClassLoader> submitFromLoaderOfItsOwn(StripedExecutor executor) throws Exception {
        OwnLoader loader = new OwnLoader();
        Runnable submitter = (Runnable) loader.loadClass(Submitter.class.getName(), true)
                .getConstructor(StripedExecutor.class, Runnable.class)
                .newInstance(executor, (Runnable) this::noteWorker);
        assertThat(submitter.getClass().getClassLoader()).isSameAs(loader);
        submitter.run();
        return new WeakReference<>(loader);
    }
}
