package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Key;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Journal;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Calls of methods that have groups: what waits for what, which executor, what the caller gets. */
class OrderedAsyncGroupsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withBean(Bank.class);

    private final Steps steps = new Steps();
    private final ApplicationContextRunner stepped = contexts.withBean("steps", Executor.class, () -> steps)
            .withPropertyValues("ordered-executor.executor=steps");

    @Test
    void aBarrierRunsAloneAfterAllAndBeforeAll() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> endOfA = new CompletableFuture<>();
            CompletableFuture<String> endOfDay = new CompletableFuture<>();
            CompletableFuture<String> first = bank.deposit("a", endOfA);
            CompletableFuture<String> close = bank.closeDay(endOfDay);
            CompletableFuture<String> next = bank.deposit("b", CompletableFuture.completedFuture("next day"));
            assertBegun(bank, "deposit a");
            endOfA.complete("");
            assertBegun(bank, "deposit a", "close");
            assertThat(first).isCompleted();
            endOfDay.complete("closed");
            assertBegun(bank, "deposit a", "close", "deposit b");
            assertThat(close).isCompletedWithValue("closed");
            assertThat(next).isCompletedWithValue("next day");
        });
    }

    @Test
    void aTransferWaitsForBothAccountsAndHoldsUpNoOther() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> endOfA = new CompletableFuture<>();
            CompletableFuture<String> endOfB = new CompletableFuture<>();
            CompletableFuture<String> endOfTransfer = new CompletableFuture<>();
            bank.deposit("a", endOfA);
            bank.deposit("b", endOfB);
            CompletableFuture<String> transfer = bank.transfer("a", "b", endOfTransfer);
            CompletableFuture<String> last = bank.deposit("b", CompletableFuture.completedFuture("last"));
            bank.deposit("c", CompletableFuture.completedFuture("other"));
            assertBegun(bank, "deposit a", "deposit b", "deposit c");
            endOfA.complete("");
            assertBegun(bank, "deposit a", "deposit b", "deposit c");
            endOfB.complete("");
            assertBegun(bank, "deposit a", "deposit b", "deposit c", "transfer a b");
            assertThat(transfer).isNotDone();
            endOfTransfer.complete("moved");
            assertBegun(bank, "deposit a", "deposit b", "deposit c", "transfer a b", "deposit b");
            assertThat(transfer).isCompletedWithValue("moved");
            assertThat(last).isCompletedWithValue("last");
        });
    }

    @Test
    void statementsRunConcurrentlyAndInOrderWithTransfers() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> endOfTransfer = new CompletableFuture<>();
            CompletableFuture<String> endOfFirst = new CompletableFuture<>();
            CompletableFuture<String> endOfSecond = new CompletableFuture<>();
            bank.transfer("a", "b", endOfTransfer);
            bank.statement("a", endOfFirst);
            bank.statement("a", endOfSecond);
            bank.transfer("b", "a", CompletableFuture.completedFuture("back"));
            assertBegun(bank, "transfer a b");
            endOfTransfer.complete("");
            assertBegun(bank, "transfer a b", "statement a", "statement a");
            endOfSecond.complete("");
            assertBegun(bank, "transfer a b", "statement a", "statement a");
            endOfFirst.complete("");
            assertBegun(bank, "transfer a b", "statement a", "statement a", "transfer b a");
        });
    }

    @Test
    void exclusiveAndSharedGroupsOfOneCall() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> endOfFirst = new CompletableFuture<>();
            bank.convert("a", "rates", endOfFirst);
            bank.convert("b", "rates", CompletableFuture.completedFuture("")); // reads the rates, too
            bank.convert("a", "other rates", CompletableFuture.completedFuture("")); // the same account
            bank.deposit("rates", CompletableFuture.completedFuture("")); // changes what the first one reads
            assertBegun(bank, "convert a", "convert b");
            endOfFirst.complete("");
            assertBegun(bank, "convert a", "convert b", "convert a", "deposit rates");
        });
    }

    @Test
    void groupsAreTheElementsOfWhateverHasElements() {
        assertGroups(List.of("a", "b"), Groups.exclusive("a", "b"));
        assertGroups(Set.of("a", "b"), Groups.exclusive("a", "b"));
        assertGroups(new String[] {"a", "b"}, Groups.exclusive("a", "b"));
        assertGroups(new long[] {1, 2}, Groups.exclusive(1L, 2L));
        assertGroups("a", "a");
        assertGroups(Key.of("bank", "a"), Key.of("bank", "a"));
        assertGroups(List.of("a", Key.of("bank", "b")), Groups.exclusive("a", Key.of("bank", "b")));
        assertGroups(List.of(List.of("bank", "a")), List.of("bank", "a"));
        assertGroups(List.of("a", "a"), "a");
        // iterable, and yet one thing
        assertGroups(java.nio.file.Path.of("a", "b"), java.nio.file.Path.of("a", "b"));
    }

    /** What the executor is told of a call is what an equal submission would have said. */
    private void assertGroups(Object value, Object expected) {
        stepped.run(context -> {
            context.getBean(Bank.class).withAny(value, CompletableFuture.completedFuture(""));
            assertThat(context.getBean(GroupedExecutor.class).inspect().queuedTasks(1))
                    .singleElement()
                    .satisfies(task -> assertThat(task.key()).isEqualTo(expected));
            steps.runAll();
            assertThat(context.getBean(GroupedExecutor.class).inspect().stats().completed())
                    .isEqualTo(1);
        });
    }

    @Test
    void keysOfASpaceAreGroupsOfTheirOwn() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> end = new CompletableFuture<>();
            bank.withAny(Key.of("bank", "a"), end);
            bank.withAny(Key.of("bank", "b"), CompletableFuture.completedFuture(""));
            bank.withAny("bank/a", CompletableFuture.completedFuture(""));
            bank.withAny(Key.of("bank", "a"), CompletableFuture.completedFuture(""));
            assertBegun(bank, "any bank/a", "any bank/b", "any bank/a");
            end.complete("");
            assertBegun(bank, "any bank/a", "any bank/b", "any bank/a", "any bank/a");
        });
    }

    @Test
    void aTransferToTheSameAccountIsNoDeadlock() {
        stepped.run(context -> {
            Bank bank = context.getBean(Bank.class);
            CompletableFuture<String> transfer =
                    bank.transfer("a", "a", CompletableFuture.completedFuture("nothing moved"));
            steps.runAll();
            assertThat(transfer).isCompletedWithValue("nothing moved");
        });
    }

    @Test
    void callsDoNotHoldTheCallerAndRunOnTheExecutorThatIsNamed() {
        contexts.withPropertyValues("ordered-executor.grouped.transfers.threads=2", "which=transfers")
                .run(context -> {
                    Bank bank = context.getBean(Bank.class);
                    CountDownLatch open = new CountDownLatch(1);
                    bank.await("a", "b", open); // the caller is not held, or the test hangs
                    Future<String> thread = bank.threadOfTransfers("a");
                    assertThat(thread.isDone()).isFalse();
                    open.countDown();
                    assertThat(thread.get()).startsWith("transfers-");
                    assertThat(bank.threadOfDefault("a").toCompletableFuture().get())
                            .startsWith("ordered-executor-");
                });
    }

    @Test
    void manyTransfersKeepTheSumOfMoney() {
        contexts.run(context -> {
            Bank bank = context.getBean(Bank.class);
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                all.add(bank.move(i % 3, (i + 1) % 3));
                all.add(bank.sum());
            }
            for (CompletableFuture<Integer> sum : all) {
                assertThat(sum.get()).isZero();
            }
            assertThat(context.getBean(GroupedExecutor.class).inspect().stats().completed())
                    .isGreaterThanOrEqualTo(5999);
        });
    }

    @Test
    void groupsThatAreMissingAreTheCallersFailure() {
        contexts.run(context -> {
            Bank bank = context.getBean(Bank.class);
            String transfer = "The groups \"{#from, #to}\" of " + Bank.class.getName()
                    + ".transfer(String, String, CompletableFuture)";
            assertThatThrownBy(() -> bank.transfer("a", null, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(transfer + " are incomplete for this call: element 1 of 2 is null");
            String any = "The groups \"#value\" of " + Bank.class.getName() + ".withAny(Object, CompletableFuture)";
            assertThatThrownBy(() -> bank.withAny(null, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(any + " are null for this call");
            assertThatThrownBy(() -> bank.withAny(List.of(), null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(any + " are empty for this call");
            assertThatThrownBy(() -> bank.withAny(new int[0], null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(any + " are empty for this call");
            assertThatThrownBy(() -> bank.withAny(Arrays.asList(null, "b"), null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("element 0 of 2 is null");
            assertThatThrownBy(() -> bank.withAny(Groups.all(), null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("which would be taken for one group");
            assertThatThrownBy(() -> bank.statement(null, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("The shared groups \"#account\" of ")
                    .hasMessageContaining("Bank.statement(")
                    .hasMessageContaining(" are null for this call");
            assertThatThrownBy(() -> bank.byProperty(null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("\"{#account.name}\"")
                    .hasMessageContaining("could not be evaluated, as #account is null");
            assertThat(bank.begun()).isEmpty();
            assertThat(context.getBean(GroupedExecutor.class).inspect().stats().keys())
                    .isZero();
        });
    }

    @Test
    void aShutDownExecutorRejectsTheCaller() {
        contexts.run(context -> {
            context.getBean(GroupedExecutor.class).shutdown();
            Bank bank = context.getBean(Bank.class);
            assertThatThrownBy(() -> bank.statement("a", null)).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> bank.statement(null, null)).isInstanceOf(IllegalArgumentException.class);
        });
    }

    /** Asserts that all these calls could begin by now, and no others. */
    private void assertBegun(Bank bank, String... calls) {
        steps.runAll();
        assertThat(bank.begun()).containsExactlyInAnyOrder(calls);
    }

    record Account(String name) {}

    static class Bank {
        private final List<String> begun = new ArrayList<>();
        private final int[] balances = new int[3];

        public List<String> begun() {
            return begun;
        }

        @OrderedAsync(barrier = true)
        public CompletableFuture<String> closeDay(CompletableFuture<String> end) {
            begun.add("close");
            return end;
        }

        @OrderedAsync(groups = "#account")
        public CompletableFuture<String> deposit(String account, CompletableFuture<String> end) {
            begun.add("deposit " + account);
            return end;
        }

        @OrderedAsync(groups = "{#from, #to}")
        public CompletableFuture<String> transfer(String from, String to, CompletableFuture<String> end) {
            begun.add("transfer " + from + " " + to);
            return end;
        }

        @OrderedAsync(shared = "#account")
        public CompletableFuture<String> statement(String account, CompletableFuture<String> end) {
            begun.add("statement " + account);
            return end;
        }

        @OrderedAsync(groups = "#account", shared = "{#rates}")
        public CompletableFuture<String> convert(String account, String rates, CompletableFuture<String> end) {
            begun.add("convert " + account);
            return end;
        }

        @OrderedAsync(groups = "#value")
        public CompletableFuture<String> withAny(Object value, CompletableFuture<String> end) {
            begun.add("any " + value);
            return end;
        }

        @OrderedAsync(groups = "{#account.name}")
        public void byProperty(Account account) {
            begun.add("property " + account.name());
        }

        @OrderedAsync(groups = "{#from, #to}", executor = "${which:groupedExecutor}")
        public void await(String from, String to, CountDownLatch latch) {
            Journal.await(latch);
        }

        @OrderedAsync(shared = "#account", executor = "${which:groupedExecutor}")
        public Future<String> threadOfTransfers(String account) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(groups = "#account")
        public CompletionStage<String> threadOfDefault(String account) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        /** Returns what there is in the two accounts more, or less, afterwards: nothing. */
        @OrderedAsync(groups = "{#from, #to}")
        public CompletableFuture<Integer> move(int from, int to) {
            int before = balances[from] + balances[to];
            balances[from]--;
            balances[to]++;
            return CompletableFuture.completedFuture(balances[from] + balances[to] - before);
        }

        @OrderedAsync(shared = "{0, 1, 2}")
        public CompletableFuture<Integer> sum() {
            return CompletableFuture.completedFuture(Arrays.stream(balances).sum());
        }
    }
}
