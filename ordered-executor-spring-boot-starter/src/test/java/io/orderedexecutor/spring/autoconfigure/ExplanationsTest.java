package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.CauseDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExplanationDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.OutputDescriptor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.Health;

/** Explanations in answers of the endpoint and in the health, and what is masked there. */
class ExplanationsTest {
    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final StripedExecutor orders = StripedExecutor.builder()
            .name("orders")
            .executor(pool::add)
            .failurePolicy(FailurePolicy.park())
            .listener(new TaskListener() {})
            .build();
    private final GroupedExecutor bank = GroupedExecutor.builder()
            .name("bank")
            .executor(pool::add)
            .failurePolicy(FailurePolicy.park())
            .build();
    private final OrderedOutputExecutor frames =
            OrderedOutputExecutor.builder().name("frames").executor(pool::add).build();
    private int failures = 1;

    @AfterEach
    void end() {
        for (OrderedExecutor executor : List.of(orders, bank, frames)) {
            executor.shutdownNow();
            run();
            assertThat(executor.isTerminated()).isTrue();
        }
    }

    private void run() {
        for (Runnable step = pool.poll(); step != null; step = pool.poll()) {
            step.run();
        }
    }

    private OrderedExecutorsEndpoint endpoint(Show show, SanitizingFunction... functions) {
        return new OrderedExecutorsEndpoint(
                Map.of("orders", orders, "bank", bank, "frames", frames), name -> List.of(), show, List.of(functions));
    }

    private void failOnce() {
        if (failures-- > 0) {
            throw new IllegalStateException("secret of alice");
        }
    }

    @Test
    void aStripeIsExplained() {
        orders.execute("alice", this::failOnce);
        run();
        KeyDescriptor stripe = (KeyDescriptor) endpoint(Show.ALWAYS).key("orders", new String[] {"alice"}, null, null);
        ExplanationDescriptor explanation = stripe.explanation();
        assertThat(explanation.text())
                .startsWith("task io.orderedexecutor.spring.autoconfigure.ExplanationsTest$$Lambda")
                .contains(" of key alice of executor 'orders' has waited for ")
                .endsWith(" is parked after java.lang.IllegalStateException: secret of alice");
        CauseDescriptor cause = explanation.causes().get(0);
        assertThat(cause.verdict()).isEqualTo("parked");
        assertThat(cause.executor()).isEqualTo("orders");
        assertThat(cause.key()).isEqualTo("alice");
        assertThat(cause.failure()).isNotNull();
        assertThat(cause.failure().message()).isEqualTo("secret of alice");
        assertThat(cause.thread()).isNull();
    }

    @Test
    void eachPartIsMaskedUnderItsOwnName() {
        orders.execute("alice", this::failOnce);
        run();
        SanitizingFunction function = data -> switch (data.getKey()) {
            case "orderedexecutors.key" -> data.withValue("<key>");
            case "orderedexecutors.task" -> data.withValue("<task>");
            case "orderedexecutors.message" -> data.withValue("<message>");
            default -> data;
        };
        KeyDescriptor stripe =
                (KeyDescriptor) endpoint(Show.ALWAYS, function).key("orders", new String[] {"alice"}, null, null);
        assertThat(stripe.explanation().text())
                .matches("task <task> of key <key> of executor 'orders' has waited for [0-9.]+ m?s: task <task> of"
                        + " key <key> is parked after"
                        + " java.lang.IllegalStateException: <message>");
        assertThat(stripe.explanation().toString()).doesNotContain("alice");
    }

    @Test
    void whatAnActionAnswersIsSanitized() {
        orders.execute("alice", this::failOnce);
        orders.execute("alice", () -> {});
        run();
        SanitizingFunction function = data ->
                List.of("orderedexecutors.key", "orderedexecutors.message").contains(data.getKey())
                        ? data.withSanitizedValue()
                        : data;
        KeyDescriptor stripe =
                (KeyDescriptor) endpoint(Show.ALWAYS, function).steer("orders", new String[] {"alice"}, "pause");
        assertThat(stripe).isNotNull();
        assertThat(stripe.explanation().text())
                .contains(" of key ****** of executor 'orders'")
                .doesNotContain("alice");
        orders.control().resume("alice");
        run();
    }

    @Test
    void linesAreTheStacks() {
        ExplanationDescriptor[] seen = new ExplanationDescriptor[3];
        SanitizingFunction function =
                data -> data.getKey().equals("orderedexecutors.stack") ? data.withSanitizedValue() : data;
        orders.execute("alice", () -> {
            seen[0] = explained(endpoint(Show.ALWAYS), true);
            seen[1] = explained(endpoint(Show.ALWAYS, function), true);
            seen[2] = explained(endpoint(Show.ALWAYS), null);
        });
        run();
        String here = Thread.currentThread().getName();
        assertThat(seen[0].text()).contains(" on thread " + here + " at ").endsWith(".java:" + lineOf(seen[0]));
        assertThat(seen[0].causes().get(0).thread()).isEqualTo(here);
        assertThat(seen[1].text()).endsWith(" on thread " + here);
        assertThat(seen[1].causes().get(0).at()).isNull();
        assertThat(seen[2].causes().get(0).at()).isNull();
    }

    private static String lineOf(ExplanationDescriptor explanation) {
        return explanation.causes().get(0).at().replaceFirst(".*:([0-9]+)\\)", "$1");
    }

    private static ExplanationDescriptor explained(OrderedExecutorsEndpoint endpoint, Boolean stacks) {
        return ((KeyDescriptor) endpoint.key("orders", new String[] {"alice"}, null, stacks)).explanation();
    }

    @Test
    void aGroupAndAnOutputAreExplained() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        bank.submitAsync(Groups.exclusive("alice", "bob"), () -> stage);
        bank.execute(Groups.exclusive("bob", "carol"), () -> {});
        OrderedOutput<String> film =
                frames.<String>outputTo(frame -> {}).name("film").open();
        film.submitAsync(() -> stage);
        run();
        KeyDescriptor group = (KeyDescriptor) endpoint(Show.ALWAYS).key("bank", new String[] {"carol"}, null, null);
        assertThat(group.explanation().causes())
                .extracting(CauseDescriptor::verdict)
                .containsExactly("incomplete");
        OutputDescriptor output =
                (OutputDescriptor) endpoint(Show.ALWAYS).key("frames", new String[] {"film"}, null, null);
        assertThat(output.explanation().text())
                .isEqualTo("output film of executor 'frames': the task of output film has returned a"
                        + " stage that is not complete");
        stage.complete("");
        run();
    }

    @Test
    void theHealthTellsWhyWithoutKeys() {
        orders.execute("alice", this::failOnce);
        run();
        Health health = new OrderedExecutorHealthIndicator(ManagedExecutor.require("orders", orders), 1, null).health();
        assertThat(health.getDetails().get("reason").toString())
                .matches("1 parked, to be resumed or skipped \\(task \\*{6} of key \\*{6} of executor 'orders' has"
                        + " waited for .*: task \\*{6} of key \\*{6} is parked after"
                        + " java\\.lang\\.IllegalStateException\\)");
        orders.control().skip("alice");
        run();
        CompletableFuture<String> stage = new CompletableFuture<>();
        orders.submitAsync("bob", () -> stage);
        run();
        Health old = new OrderedExecutorHealthIndicator(
                        ManagedExecutor.require("orders", orders), 1, Duration.ofNanos(1))
                .health();
        assertThat(old.getDetails().get("reason").toString())
                .startsWith("a task has been running for longer than PT0.000000001S (key ****** of executor 'orders': ")
                .contains("task ****** of key ****** has returned a stage that is not complete");
        stage.complete("");
        run();
    }
}
