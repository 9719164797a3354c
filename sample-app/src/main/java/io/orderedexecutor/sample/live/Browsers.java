package io.orderedexecutor.sample.live;

import io.orderedexecutor.SerialExecutor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the journal to the browsers that look. Each browser has a {@link SerialExecutor}: what it gets is in order, and
 * one that reads slowly holds up no other and costs no memory, since it gets at once all that has come in meanwhile.
 */
@Component
@RegisterReflectionForBinding(Browsers.News.class) // nothing else tells a native image of it
class Browsers {
    /** Often enough for the eye. */
    private static final long PAUSE_MILLIS = 50;

    private static final long NO_TIMEOUT = 0;

    private final Journal journal;
    private final OrderCheck check;
    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("live-page-");
    private final Set<Browser> browsers = ConcurrentHashMap.newKeySet();

    Browsers(Journal journal, OrderCheck check) {
        this.journal = journal;
        this.check = check;
        threads.setDaemon(true); // a browser that reads slowly does not keep the application
    }

    SseEmitter open() {
        Browser browser = new Browser();
        browsers.add(browser);
        return browser.emitter;
    }

    /** Before the web server waits for its requests to end: these would not. */
    @EventListener(ContextClosedEvent.class)
    void close() {
        browsers.forEach(browser -> browser.emitter.complete());
    }

    /**
     * What a browser gets.
     *
     * @param now the server's clock, in milliseconds since the epoch
     * @param moments what has happened since the last news
     * @param violations how often a step of {@code @OrderedAsync} has started too early
     * @param violationsOfAsync how often one of {@code @Async} has
     * @param rejected how many steps were rejected, by lane
     */
    record News(
            long now, List<Moment> moments, long violations, long violationsOfAsync, Map<Step.Lane, Long> rejected) {}

    private final class Browser {
        final SseEmitter emitter = new SseEmitter(NO_TIMEOUT);
        private final SerialExecutor sender = new SerialExecutor(threads);
        private final AtomicBoolean due = new AtomicBoolean();
        private final Runnable listener = this::sendSoon;

        /** How far it has read. Only the sender's tasks use it, one after another. */
        private long position = Journal.NOTHING_READ;

        Browser() {
            emitter.onCompletion(this::forget);
            emitter.onError(gone -> forget());
            journal.addListener(listener);
            sendSoon();
        }

        private void forget() {
            browsers.remove(this);
            journal.removeListener(listener);
        }

        private void sendSoon() {
            if (!due.getAndSet(true)) {
                CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, sender)
                        .execute(this::send);
            }
        }

        private void send() {
            due.set(false); // what comes from here on is sent next time
            Journal.Page page = journal.read(position);
            position = page.end();
            try {
                emitter.send(
                        new News(
                                System.currentTimeMillis(),
                                page.moments(),
                                check.violations(Step.Lane.STRIPED) + check.violations(Step.Lane.GROUPED),
                                check.violations(Step.Lane.ASYNC),
                                page.rejected()),
                        MediaType.APPLICATION_JSON);
            } catch (IOException | IllegalStateException gone) {
                forget();
            }
        }
    }
}
