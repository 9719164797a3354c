package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Key;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A stripe and a group of one executor that are equal are one key, whichever attribute names it. */
@Timeout(120)
class OneSpaceOfKeysTest {
    private static final int CALLS = 2_000;
    private static final int SUBMITTERS = 4;

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withPropertyValues("threads=4", "ordered-executor.threads=${threads}")
            .withBean(Accounts.class);

    @ParameterizedTest(name = "{0}, stripes on \"{1}\", groups on \"{2}\"")
    @CsvSource({
        "book, '', ''",
        "book, accounts, accounts",
        "book, accountsStripes, accounts",
        "book, groupedExecutor, ''",
        "close, '', ''",
        "close, accountsStripes, accounts",
        "collect, '', ''",
        "collect, accountsStripes, accounts"
    })
    @DisplayName("no update is lost, half of which is made by a stripe and half by groups")
    void noUpdateIsLost(String kind, String ofStripes, String ofGroups) {
        contexts.withPropertyValues(
                        "ordered-executor.grouped.accounts.threads=4", "stripes=" + ofStripes, "groups=" + ofGroups)
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    Thread[] submitters = new Thread[SUBMITTERS];
                    for (int t = 0; t < SUBMITTERS; t++) {
                        int first = t;
                        submitters[t] = new Thread(() -> {
                            for (int i = first; i < CALLS; i += SUBMITTERS) {
                                call(accounts, kind, i / SUBMITTERS);
                            }
                        });
                        submitters[t].start();
                    }
                    assertThat(accounts.updates().await(60, TimeUnit.SECONDS)).isTrue();
                    for (Thread submitter : submitters) {
                        submitter.join();
                    }
                    assertThat(accounts.balance()).isEqualTo(CALLS);
                });
    }

    @Test
    @DisplayName("a call with groups waits for one with a stripe whose stage is pending, and the other way round")
    void oneWaitsForTheOther() {
        Steps steps = new Steps();
        contexts.withBean("steps", Steps.class, () -> steps)
                .withBean(Holding.class)
                .withPropertyValues("threads=", "ordered-executor.executor=steps")
                .run(context -> {
                    Holding holding = context.getBean(Holding.class);
                    CompletableFuture<String> first = new CompletableFuture<>();
                    CompletableFuture<String> second = new CompletableFuture<>();
                    holding.byStripe("alice", first);
                    holding.byGroups("alice", second);
                    CompletableFuture<String> third = holding.byStripe("alice", new CompletableFuture<>());
                    steps.runAll();
                    assertThat(holding.started()).containsExactly("stripe");
                    first.complete("done");
                    steps.runAll();
                    assertThat(holding.started()).containsExactly("stripe", "groups");
                    second.complete("done");
                    steps.runAll();
                    assertThat(holding.started()).containsExactly("stripe", "groups", "stripe");
                    third.cancel(true);
                    steps.runAll();
                });
    }

    static class Holding {
        private final List<String> started = new ArrayList<>();

        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> byStripe(String account, CompletableFuture<String> stage) {
            started.add("stripe");
            return stage;
        }

        @OrderedAsync(groups = "#account")
        public CompletableFuture<String> byGroups(String account, CompletableFuture<String> stage) {
            started.add("groups");
            return stage;
        }

        public List<String> started() {
            return started;
        }
    }

    @Test
    @DisplayName("a space makes keys of values, and those of another space are others")
    void spaces() {
        Steps steps = new Steps();
        contexts.withBean("steps", Steps.class, () -> steps)
                .withBean(Spaces.class)
                .withPropertyValues("threads=", "ordered-executor.executor=steps")
                .run(context -> {
                    Spaces spaces = context.getBean(Spaces.class);
                    CompletableFuture<String> end = new CompletableFuture<>();
                    spaces.order(42, end);
                    spaces.orders(List.of(42, 43));
                    spaces.user(42);
                    context.getBean(GroupedExecutor.class)
                            .execute(
                                    Groups.exclusive(Key.of("orders", 42)),
                                    () -> spaces.started().add("by hand"));
                    steps.runAll();
                    assertThat(spaces.started()).containsExactly("order", "user");
                    assertThat(context.getBean(GroupedExecutor.class).inspect().deepestKeys(10))
                            .extracting(key -> key.key().toString())
                            .contains("orders/42", "orders/43");
                    end.complete("done");
                    steps.runAll();
                    assertThat(spaces.started()).containsExactly("order", "user", "orders", "by hand");
                });
        for (Class<?> wrong : List.of(BlankSpace.class, SpaceOfBarrier.class)) {
            contexts.withBean(wrong)
                    .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("space"));
        }
    }

    static class Spaces {
        private final List<String> started = new ArrayList<>();

        @OrderedAsync(stripe = "#id", space = "orders")
        public CompletableFuture<String> order(int id, CompletableFuture<String> stage) {
            started.add("order");
            return stage;
        }

        @OrderedAsync(groups = "#ids", space = "orders")
        public void orders(List<Integer> ids) {
            started.add("orders");
        }

        @OrderedAsync(stripe = "#id", space = "users")
        public void user(int id) {
            started.add("user");
        }

        public List<String> started() {
            return started;
        }
    }

    static class BlankSpace {
        @OrderedAsync(stripe = "#id", space = " ")
        public void order(int id) {}
    }

    static class SpaceOfBarrier {
        @OrderedAsync(barrier = true, space = "orders")
        public void close() {}
    }

    private static void call(Accounts accounts, String kind, int i) {
        if (i % 2 == 0) {
            accounts.transfer("alice", "bob" + i % 7);
        } else if (kind.equals("close") && i % 25 == 0) {
            accounts.close();
        } else if (kind.equals("collect")) {
            accounts.collect("alice", List.of(1));
        } else {
            accounts.book("alice");
        }
    }

    static class Accounts {
        private final CountDownLatch updates = new CountDownLatch(CALLS);

        /** Not thread-safe on purpose: calls that belong to alice must not overlap. */
        private int balance;

        @OrderedAsync(stripe = "#account", executor = "${stripes:}")
        public void book(String account) {
            add(1);
        }

        @OrderedAsync(stripe = "#account", executor = "${stripes:}", whenBusy = OrderedAsync.Mode.COLLECT)
        public void collect(String account, List<Integer> amounts) {
            amounts.forEach(this::add);
        }

        @OrderedAsync(groups = "{#from, #to}", executor = "${groups:}")
        public void transfer(String from, String to) {
            add(1);
        }

        @OrderedAsync(barrier = true, executor = "${groups:}")
        public void close() {
            add(1);
        }

        public CountDownLatch updates() {
            return updates;
        }

        public int balance() {
            return balance;
        }

        private void add(int amount) {
            int before = balance;
            // a little work, during which another update would be lost
            balance = before + (String.valueOf(before).repeat(2_000).hashCode() == 1 ? amount + 1 : amount);
            updates.countDown();
        }
    }
}
