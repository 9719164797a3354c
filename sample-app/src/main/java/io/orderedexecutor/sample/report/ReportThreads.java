package io.orderedexecutor.sample.report;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Threads for the responses that are streamed. A slow reader keeps one of them, and none of those of {@code @Async},
 * which Spring Boot would give it.
 */
@Component
class ReportThreads implements WebMvcConfigurer {
    private static final int MAX_REPORTS = 20;

    @Override
    public void configureAsyncSupport(AsyncSupportConfigurer async) {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("report-");
        threads.setConcurrencyLimit(MAX_REPORTS);
        threads.setRejectTasksWhenLimitReached(true); // one report more is answered with 503
        threads.setDaemon(true); // a slow reader does not keep the application
        async.setTaskExecutor(threads);
    }
}
