package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.spring.fixtures.Journal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

/**
 * That a call runs in the context of its caller: with its trace, its MDC, and whatever else the context registry knows
 * of.
 */
class ContextPropagationTest {
    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final Exported exported = new Exported();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exported))
            .build();
    private final OtelCurrentTraceContext current = new OtelCurrentTraceContext();
    private final Tracer tracer = new OtelTracer(
            provider.get("test"), current, event -> {}, new OtelBaggageManager(current, List.of(), List.of()));
    private final ObservationRegistry registry = ObservationRegistry.create();

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TaskExecutionAutoConfiguration.class,
                    OrderedExecutorAutoConfiguration.class,
                    OrderedAsyncObservationAutoConfiguration.class))
            .withBean(Accounts.class)
            .withBean(Tracer.class, () -> tracer)
            .withBean(ObservationRegistry.class, () -> registry)
            .withPropertyValues("ordered-executor.threads=1");

    @BeforeEach
    void register() {
        registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
        ContextRegistry.getInstance().registerThreadLocalAccessor("test.user", USER);
    }

    @AfterEach
    void unregister() {
        ContextRegistry.getInstance().removeThreadLocalAccessor("test.user");
        provider.close();
        USER.remove();
    }

    @Test
    void aCallIsPartOfTheTraceOfItsCaller() {
        contexts.withPropertyValues("ordered-executor.observations.enabled=true")
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    Observation request = Observation.start("request", registry);
                    CompletableFuture<String> traceId = request.scoped(() -> accounts.book("alice"));
                    assertThat(traceId.get(30, TimeUnit.SECONDS)).isNotEqualTo("none");
                    request.stop();
                    await().untilAsserted(() -> assertThat(exported.spans).hasSize(4));
                    Map<String, SpanData> spans = exported.byName();
                    SpanData ofRequest = spans.get("request");
                    SpanData queued = spans.get("Accounts.book queued");
                    SpanData run = spans.get("Accounts.book run");
                    SpanData inside = spans.get("inside");
                    assertThat(exported.spans).extracting(SpanData::getTraceId).containsOnly(traceId.join());
                    assertThat(ofRequest.getParentSpanId()).isEqualTo(SpanId.getInvalid());
                    assertThat(queued.getParentSpanId()).isEqualTo(ofRequest.getSpanId());
                    assertThat(run.getParentSpanId()).isEqualTo(ofRequest.getSpanId());
                    assertThat(inside.getParentSpanId()).isEqualTo(run.getSpanId());
                    assertThat(queued.getEndEpochNanos()).isLessThanOrEqualTo(run.getStartEpochNanos());
                    // nothing of it is left on the worker: the next call has a trace of its own
                    assertThat(accounts.current("alice").get(30, TimeUnit.SECONDS))
                            .startsWith("null ")
                            .doesNotContain("none")
                            .doesNotContain(traceId.join());
                });
    }

    @Test
    void springsOwnContextPropagationIsForCallsToo() {
        contexts.withPropertyValues(
                        "ordered-executor.observations.enabled=true", "spring.task.execution.propagate-context=true")
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    USER.set("alice in person");
                    Observation request = Observation.start("request", registry);
                    CompletableFuture<String> seen = request.scoped(() -> accounts.current("alice"));
                    USER.remove();
                    String traceId = exportedTraceId(request);
                    assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("alice in person " + traceId);
                    assertThat(accounts.current("alice").get(30, TimeUnit.SECONDS))
                            .startsWith("null ")
                            .doesNotContain(traceId);
                });
    }

    @Test
    void theSecurityContextIsThatOfTheCallerAndTheWorkersOwnIsRestored() {
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor(
                        "test.security", SecurityHolder::captured, SecurityHolder::take, SecurityHolder::clear);
        ContextSnapshotFactory factory =
                ContextSnapshotFactory.builder().clearMissing(true).build();
        try {
            contexts.withBean(TaskDecorator.class, () -> new ContextPropagatingTaskDecorator(factory))
                    .run(context -> {
                        Accounts accounts = context.getBean(Accounts.class);
                        SecurityHolder.set("alice");
                        CompletableFuture<String> ofAlice = accounts.user("a");
                        SecurityHolder.set("bob");
                        CompletableFuture<String> ofBob = accounts.user("a");
                        assertThat(SecurityHolder.user()).isEqualTo("bob");
                        SecurityHolder.clear();
                        CompletableFuture<String> ofNobody = accounts.user("a");
                        assertThat(ofAlice.get(30, TimeUnit.SECONDS)).isEqualTo("alice");
                        assertThat(ofBob.get(30, TimeUnit.SECONDS)).isEqualTo("bob");
                        assertThat(ofNobody.get(30, TimeUnit.SECONDS)).isEqualTo("nobody");

                        // what the only worker has of its own is there again after a call that had another
                        StripedExecutor executor = context.getBean(StripedExecutor.class);
                        assertThat(executor.submit("b", SecurityHolder::captured)
                                        .get(30, TimeUnit.SECONDS))
                                .isNull();
                        executor.submit("b", () -> {
                                    SecurityHolder.set("worker");
                                    return "";
                                })
                                .get(30, TimeUnit.SECONDS);
                        SecurityHolder.set("alice");
                        assertThat(accounts.user("a").get(30, TimeUnit.SECONDS)).isEqualTo("alice");
                        assertThat(executor.submit("b", SecurityHolder::user).get(30, TimeUnit.SECONDS))
                                .isEqualTo("worker");
                    });
        } finally {
            SecurityHolder.clear();
            ContextRegistry.getInstance().removeThreadLocalAccessor("test.security");
        }
    }

    @Test
    void onAnExecutorThatPropagatesContextsNoCallHasTheContextOfAnother() {
        contexts.withPropertyValues(
                        "spring.task.execution.propagate-context=true",
                        "spring.task.execution.pool.core-size=1",
                        "ordered-executor.striped.pooled.executor=applicationTaskExecutor",
                        "test.pooled=pooled")
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    StripedExecutor pooled = context.getBean("pooled", StripedExecutor.class);
                    CountDownLatch open = new CountDownLatch(1);
                    USER.set("alice");
                    CompletableFuture<String> ofAlice = accounts.pooled("a", open);
                    assertThat(USER.get()).isEqualTo("alice");
                    USER.remove();
                    // served by the turn that alice's call has begun
                    CompletableFuture<String> ofNobody = accounts.pooled("a", open);
                    CompletableFuture<String> task = pooled.submit("a", USER::get);
                    open.countDown();
                    assertThat(ofAlice.get(30, TimeUnit.SECONDS)).isEqualTo("alice");
                    assertThat(ofNobody.get(30, TimeUnit.SECONDS)).isEqualTo("null");
                    assertThat(task.get(30, TimeUnit.SECONDS)).isNull();
                });
    }

    @Test
    void theTraceIsPropagatedWithoutObservationsOfCalls() {
        // as Spring Boot does
        ContextRegistry.getInstance().registerThreadLocalAccessor(new ObservationThreadLocalAccessor(registry));
        try {
            contexts.withPropertyValues("spring.task.execution.propagate-context=true")
                    .run(context -> {
                        Observation request = Observation.start("request", registry);
                        CompletableFuture<String> seen = request.scoped(
                                () -> context.getBean(Accounts.class).current("alice"));
                        String traceId = exportedTraceId(request);
                        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("null " + traceId);
                        assertThat(exported.byName()).containsOnlyKeys("request");
                    });
        } finally {
            ContextRegistry.getInstance().registerThreadLocalAccessor(new ObservationThreadLocalAccessor());
        }
    }

    @Test
    void theMdcIsPropagated() {
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor("test.mdc", MDC::getCopyOfContextMap, MDC::setContextMap, MDC::clear);
        try {
            contexts.withPropertyValues("spring.task.execution.propagate-context=true")
                    .run(context -> {
                        Accounts accounts = context.getBean(Accounts.class);
                        MDC.put("request", "42");
                        CompletableFuture<String> seen = accounts.mdc("alice");
                        MDC.clear();
                        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("42");
                        assertThat(accounts.mdc("alice").get(30, TimeUnit.SECONDS))
                                .isEqualTo("none");
                    });
        } finally {
            MDC.clear();
            ContextRegistry.getInstance().removeThreadLocalAccessor("test.mdc");
        }
    }

    private String exportedTraceId(Observation request) {
        request.stop();
        return exported.byName().get("request").getTraceId();
    }

    private static final class Exported implements SpanExporter {
        private final Queue<SpanData> spans = new ConcurrentLinkedQueue<>();

        Map<String, SpanData> byName() {
            return spans.stream().collect(Collectors.toMap(SpanData::getName, Function.identity()));
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    /**
     * Behaves as Spring Security's SecurityContextHolder does: a context that can be changed in place, made when a
     * thread first asks for it, and an accessor that takes it only if there is one.
     */
    private static final class SecurityHolder {
        private static final ThreadLocal<AtomicReference<String>> CONTEXT = new ThreadLocal<>();

        static String user() {
            if (CONTEXT.get() == null) {
                CONTEXT.set(new AtomicReference<>("nobody"));
            }
            return CONTEXT.get().get();
        }

        static @Nullable AtomicReference<String> captured() {
            return CONTEXT.get();
        }

        static void set(String user) {
            CONTEXT.set(new AtomicReference<>(user));
        }

        static void take(AtomicReference<String> context) {
            CONTEXT.set(context);
        }

        static void clear() {
            CONTEXT.remove();
        }
    }

    static class Accounts {
        private final Tracer tracer;
        private final ObservationRegistry registry;

        Accounts(Tracer tracer, ObservationRegistry registry) {
            this.tracer = tracer;
            this.registry = registry;
        }

        /** Makes an observation, and returns the trace that it belongs to. */
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> book(String account) {
            return CompletableFuture.completedFuture(
                    Observation.createNotStarted("inside", registry).observe(this::traceId));
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> current(String account) {
            return CompletableFuture.completedFuture(USER.get() + " " + traceId());
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> user(String account) {
            return CompletableFuture.completedFuture(SecurityHolder.user());
        }

        @OrderedAsync(stripe = "#account", executor = "${test.pooled:stripedExecutor}")
        public CompletableFuture<String> pooled(String account, CountDownLatch open) {
            Journal.await(open);
            return CompletableFuture.completedFuture(String.valueOf(USER.get()));
        }

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> mdc(String account) {
            String request = MDC.get("request");
            return CompletableFuture.completedFuture(request == null ? "none" : request);
        }

        private String traceId() {
            Span span = tracer.currentSpan();
            return span == null ? "none" : span.context().traceId();
        }
    }
}
