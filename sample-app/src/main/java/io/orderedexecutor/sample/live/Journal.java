package io.orderedexecutor.sample.live;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Tells all browsers what happens to the steps. A new browser is first told of the steps that are not over. A slow one
 * holds up no other: if it falls too far behind, its connection ends; then it opens another, and is up to date again.
 * Thread-safe.
 */
@Component
@RegisterReflectionForBinding(Journal.News.class) // nothing else tells a native image of it
class Journal {
    /** How far a browser may fall behind: about a minute of everything that the page can start. */
    private static final int MAX_MOMENTS = 20_000;

    /** Often enough for the eye. */
    private static final long PAUSE_MILLIS = 50;

    private static final long NO_TIMEOUT = 0;

    private final OrderCheck check;
    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("live-page-");

    /** What each browser has yet to be told. */
    private final Map<SseEmitter, BlockingQueue<Moment>> browsers = new ConcurrentHashMap<>();

    private final Map<Long, List<Moment>> unfinished = new LinkedHashMap<>();
    private final Map<Step.Lane, Long> rejected = new EnumMap<>(Step.Lane.class);

    Journal(OrderCheck check) {
        this.check = check;
        threads.setDaemon(true); // a browser that reads slowly does not keep the application
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

    void add(Step step, Moment.What what) {
        add(step, what, step.keys(), true);
    }

    synchronized void add(Step step, Moment.What what, List<String> tracks, boolean inOrder) {
        Moment moment = new Moment(System.currentTimeMillis(), what, step, tracks, inOrder);
        switch (what) {
            case QUEUED -> unfinished.put(step.id(), new ArrayList<>(List.of(moment)));
            case STARTED, FAILED ->
                unfinished.getOrDefault(step.id(), new ArrayList<>()).add(moment);
            default -> unfinished.remove(step.id());
        }
        if (what == Moment.What.REJECTED) {
            rejected.merge(step.lane(), 1L, Long::sum);
        }
        browsers.values().removeIf(moments -> !moments.offer(moment));
    }

    private synchronized News news(List<Moment> moments) {
        return new News(
                System.currentTimeMillis(),
                moments,
                check.violations(Step.Lane.STRIPED) + check.violations(Step.Lane.GROUPED),
                check.violations(Step.Lane.ASYNC),
                Map.copyOf(rejected));
    }

    synchronized SseEmitter open() {
        SseEmitter browser = new SseEmitter(NO_TIMEOUT);
        BlockingQueue<Moment> moments = new LinkedBlockingQueue<>(MAX_MOMENTS);
        unfinished.values().forEach(moments::addAll);
        browsers.put(browser, moments);
        browser.onCompletion(() -> browsers.remove(browser));
        threads.execute(() -> send(moments, browser));
        return browser;
    }

    private void send(BlockingQueue<Moment> moments, SseEmitter browser) {
        try {
            List<Moment> next = new ArrayList<>();
            while (browsers.containsKey(browser)) {
                moments.drainTo(next);
                browser.send(news(List.copyOf(next)), MediaType.APPLICATION_JSON);
                next.clear();
                Thread.sleep(PAUSE_MILLIS);
                Moment first = moments.poll(1, TimeUnit.SECONDS); // then news without moments: is the browser there?
                if (first != null) {
                    next.add(first);
                }
            }
            browser.complete();
        } catch (IOException | IllegalStateException | InterruptedException gone) {
            browsers.remove(browser);
        }
    }

    /** Before the web server waits for its requests to end: these would not. */
    @EventListener(ContextClosedEvent.class)
    void close() {
        browsers.keySet().forEach(SseEmitter::complete);
    }
}
