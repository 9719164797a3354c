package io.orderedexecutor.test.spring;

import static io.orderedexecutor.test.InTurn.assertInTurn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import io.orderedexecutor.test.SteppedExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.NestedTestConfiguration;
import org.springframework.test.context.NestedTestConfiguration.EnclosingConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** {@link AutoConfigureOrderedExecutors} in a full context, and where nothing is configured automatically. */
@NestedTestConfiguration(EnclosingConfiguration.OVERRIDE)
class AutoConfigureOrderedExecutorsTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    static class Orders {
        private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

        /** A field of the proxy would be another one. */
        List<String> ran() {
            return ran;
        }

        @OrderedAsync(stripe = "#client")
        public CompletableFuture<String> book(String client, String what) {
            assertInTurn(client);
            ran.add(client + " " + what);
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(groups = "{#from, #to}")
        public void transfer(String from, String to) {
            assertInTurn(from);
            assertInTurn(to);
            ran.add(from + " to " + to);
        }
    }

    static class Mails {
        private final Orders orders;

        Mails(Orders orders) {
            this.orders = orders;
        }

        @OrderedAsync(stripe = "#client", executor = "mails")
        public void send(String client) {
            orders.ran().add("mail to " + client);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @AutoConfigureOrderedExecutors
    class Inline {
        @Autowired
        Orders orders;

        @Test
        void aCallHasRunWhenItReturnsOnAThreadOfItsOwn() {
            CompletableFuture<String> thread = orders.book("alice", "book");
            assertThat(orders.ran()).contains("alice book");
            assertThat(thread).isCompletedWithValueMatching(name -> name.startsWith("step-"));
        }
    }

    /** Without auto-configuration, as in a slice: there the annotation would do nothing. */
    @Nested
    @SpringJUnitConfig(Orders.class)
    class NotConfigured {
        @Autowired
        Orders orders;

        @Test
        void aDirectCallIsNotInTurn() {
            assertThatThrownBy(() -> orders.book("alice", "book"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("Not in turn for alice: thread '"
                            + Thread.currentThread().getName() + "' runs no task of an ordered executor here");
        }
    }

    @Nested
    @Import(Mails.class)
    @TestPropertySource(properties = "ordered-executor.striped.mails.threads=1")
    @SpringBootTest(classes = Orders.class)
    @AutoConfigureOrderedExecutors(calls = AutoConfigureOrderedExecutors.Calls.STEPPED)
    class Stepped {
        @Autowired
        Orders orders;

        @Autowired
        SteppedExecutor stepped;

        @Autowired
        Mails mails;

        @BeforeEach
        void clear() {
            stepped.runAll();
            orders.ran().clear();
        }

        @Test
        void callsWaitUntilTheyAreStepped() {
            orders.book("alice", "first");
            orders.book("bob", "second");
            assertThat(orders.ran()).isEmpty();
            stepped.runNext();
            assertThat(orders.ran()).containsExactly("alice first");
            stepped.runAll();
            assertThat(orders.ran()).containsExactly("alice first", "bob second");
        }

        @Test
        void oneKeyIsSteppedWhileOthersWait() {
            orders.book("alice", "first");
            orders.book("bob", "second");
            orders.transfer("carol", "dave");
            assertThat(stepped.runNextOf("bob")).isTrue();
            assertThat(stepped.runNextOf("bob")).isFalse();
            assertThat(stepped.runNextOf("dave")).isTrue();
            assertThat(orders.ran()).containsExactly("bob second", "carol to dave");
            stepped.runAll();
        }

        @Test
        void oneExecutorIsSteppedWhileOthersWait() {
            orders.book("alice", "first");
            mails.send("alice");
            assertThat(stepped.pending("mails")).isEqualTo(1);
            assertThat(stepped.runNext("mails")).isTrue();
            assertThat(stepped.runNext("mails")).isFalse();
            assertThat(orders.ran()).containsExactly("mail to alice");
            assertThat(stepped.pending("ordered-executor")).isEqualTo(1);
            stepped.runAll();
            assertThat(orders.ran()).containsExactly("mail to alice", "alice first");
        }
    }

    @Nested
    @SpringBootTest(classes = Orders.class)
    @AutoConfigureOrderedExecutors(calls = AutoConfigureOrderedExecutors.Calls.SEEDED, seed = 1)
    class Seeded {
        @Autowired
        Orders orders;

        @Autowired
        SteppedExecutor stepped;

        private List<String> run(long seed) {
            orders.ran().clear();
            stepped.seed(seed);
            for (String client : List.of("alice", "bob", "carol")) {
                orders.book(client, "first");
                orders.book(client, "second");
            }
            stepped.runAll();
            return List.copyOf(orders.ran());
        }

        @Test
        void aSeedIsAnOrderInWhichEachKeyKeepsItsOwn() {
            Set<List<String>> seen = new HashSet<>();
            for (int seed = 0; seed < 20; seed++) {
                List<String> order = run(seed);
                assertThat(order).hasSize(6).containsSubsequence("alice first", "alice second");
                assertThat(run(seed)).isEqualTo(order);
                seen.add(order);
            }
            assertThat(seen).hasSizeGreaterThan(5);
        }
    }

    @Nested
    @SpringBootTest(classes = Orders.class)
    @AutoConfigureOrderedExecutors(onCallingThread = true)
    class OnCallingThread {
        @Autowired
        Orders orders;

        @Test
        void aCallRunsOnTheThreadOfTheTest() {
            assertThat(orders.book("alice", "book"))
                    .isCompletedWithValue(Thread.currentThread().getName());
        }
    }
}
