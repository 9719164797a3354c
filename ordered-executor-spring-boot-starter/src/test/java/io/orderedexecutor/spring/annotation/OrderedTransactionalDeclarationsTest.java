package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsync.OverflowMode;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import io.orderedexecutor.spring.fixtures.Steps;
import io.orderedexecutor.stats.QueuedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** R12 in the starter: which methods can be listeners, of which executors, and where their managers may be. */
@ExtendWith(OutputCaptureExtension.class)
class OrderedTransactionalDeclarationsTest {
    private final Steps steps = new Steps();
    private final ApplicationContextRunner onThreads = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=10ms");
    private final ApplicationContextRunner contexts =
            onThreads.withBean("steps", Steps.class, () -> steps).withPropertyValues("ordered-executor.executor=steps");

    private static void publish(ApplicationContext context, Object... events) {
        context.getBean(EmptyTransactions.class).run(() -> {
            for (Object event : events) {
                context.publishEvent(event);
            }
        });
    }

    record Moved(String from, String to) {}

    record Seen(String account) {}

    @EnableTransactionManagement
    static class Transactions {
        @Bean
        EmptyTransactions transactions() {
            return new EmptyTransactions();
        }
    }

    // groups

    @Test
    void groupsAndSharedGroups() {
        contexts.withBean(OfGroups.class).run(context -> {
            GroupedExecutor executor = context.getBean(GroupedExecutor.class);
            context.getBean(EmptyTransactions.class).atCommit =
                    () -> assertThat(executor.inspect().reserved().count()).isEqualTo(4);
            publish(context, new Moved("a", "b"), new Seen("b"), new Seen("b"), new Moved("b", "c"));
            context.getBean(EmptyTransactions.class).atCommit = () -> {};
            assertThat(executor.inspect().queuedTasks(9))
                    .extracting(QueuedTask::key, QueuedTask::waitsFor)
                    .containsExactly(
                            tuple(Groups.exclusive("a", "b"), List.of()),
                            tuple(Groups.shared("b"), List.of(Groups.exclusive("a", "b"))),
                            tuple(Groups.shared("b"), List.of(Groups.exclusive("a", "b"))),
                            tuple(Groups.exclusive("b", "c"), List.of(Groups.shared("b"), Groups.shared("b"))));
            steps.runAll();
            OfGroups target = AopTestUtils.getTargetObject(context.getBean(OfGroups.class));
            assertThat(target.ran).containsExactly("a to b", "b seen", "b seen", "b to c");
        });
    }

    static class OfGroups {
        private final List<String> ran = new ArrayList<>();

        @OrderedTransactionalEventListener(groups = "{#event.from, #event.to}")
        public void on(Moved event) {
            ran.add(event.from() + " to " + event.to());
        }

        @OrderedTransactionalEventListener(shared = "#event.account")
        public void on(Seen event) {
            ran.add(event.account() + " seen");
        }
    }

    // proxies and scopes

    @Test
    void aBeanWhoseProxyHasOnlyItsInterface(CapturedOutput output) {
        contexts.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("listener", ByInterface.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(OnSeen.class)).isNotInstanceOf(ByInterface.class);
                    publish(context, new Seen("a"));
                    steps.runAll();
                    ByInterface target = AopTestUtils.getTargetObject(context.getBean(OnSeen.class));
                    assertThat(target.ran).containsExactly("a");
                });
        assertThat(output).doesNotContain("No place was reserved");
    }

    interface OnSeen {
        void on(Seen event);
    }

    static class ByInterface implements OnSeen {
        private final List<String> ran = new ArrayList<>();

        @Override
        @OrderedTransactionalEventListener(stripe = "#event.account", condition = "#event.account != 'nobody'")
        public void on(Seen event) {
            ran.add(event.account());
        }
    }

    /** What the container calls to make the bean gets places of its own. */
    @Test
    void aBeanThatCallsAnOrderedMethodWhenItIsMade() {
        contexts.withPropertyValues("ordered-executor.striped.audit.executor=steps")
                .withBean(Audit.class)
                .withUserConfiguration(OfScope.class)
                .run(context -> {
                    publish(context, new Seen("a"));
                    steps.runAll();
                    assertThat(context.getBean("audit", StripedExecutor.class)
                                    .inspect()
                                    .stats()
                                    .completed())
                            .as("calls of the other method")
                            .isEqualTo(1);
                    StripedExecutor ofListener = context.getBean("stripedExecutor", StripedExecutor.class);
                    assertThat(ofListener.inspect().stats().completed())
                            .as("events")
                            .isEqualTo(1);
                    assertThat(ofListener.inspect().reserved().count()).isZero();
                });
    }

    static class Audit {
        @OrderedAsync(stripe = "#what", executor = "audit")
        public void note(String what) {}
    }

    @Scope("prototype")
    static class OfScope implements InitializingBean {
        private final Audit audit;

        OfScope(Audit audit) {
            this.audit = audit;
        }

        @Override
        public void afterPropertiesSet() {
            audit.note("made");
        }

        @OrderedTransactionalEventListener(stripe = "#event.account", executor = "stripedExecutor")
        public void on(Seen event) {}
    }

    @Test
    void whenBusyIsRefused() {
        contexts.withBean(Skipping.class)
                .run(context -> DeclarationAssertions.assertRefused(
                        context.getStartupFailure(),
                        "Skipping.on(OrderedTransactionalDeclarationsTest.Seen)",
                        "whenBusy = REFUSE of a @TransactionalEventListener has no effect",
                        "Remove whenBusy"));
    }

    /** The executor does not discard, so only such a method can take an event away. */
    @Test
    void theStartWarnsOfAMethodThatMayDiscardEvents(CapturedOutput output) {
        ApplicationContextRunner full = contexts.withBean(ByInterface.class)
                .withPropertyValues("ordered-executor.key-capacity=1", "ordered-executor.striped.other.key-capacity=1");
        full.withBean(DiscardingElsewhere.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("discards the oldest queued task");
        full.withBean(Discarding.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains(
                        "Discarding.refresh(String) discards the oldest queued task of its key",
                        "ByInterface.on(OrderedTransactionalDeclarationsTest.Seen) with an event of a committed",
                        "give the method another space or executor");
    }

    static class Discarding {
        @OrderedAsync(stripe = "#account", overflow = OverflowMode.DISCARD_OLDEST)
        public void refresh(String account) {
            throw new AssertionError("never called");
        }
    }

    static class DiscardingElsewhere {
        @OrderedAsync(stripe = "#account", overflow = OverflowMode.DISCARD_OLDEST, space = "others")
        public void inASpace(String account) {
            throw new AssertionError("never called");
        }

        @OrderedAsync(barrier = true, overflow = OverflowMode.DISCARD_OLDEST)
        public void ofAll() {
            throw new AssertionError("never called");
        }

        @OrderedAsync(stripe = "#account", overflow = OverflowMode.DISCARD_OLDEST, executor = "other")
        public void onAnExecutor(String account) {
            throw new AssertionError("never called");
        }
    }

    static class Skipping {
        @TransactionalEventListener
        @OrderedAsync(stripe = "#event.account", whenBusy = OrderedAsync.Mode.REFUSE)
        public void on(Seen event) {
            throw new AssertionError("never called");
        }
    }

    @Test
    void aTransactionThatMayBeTheOneThatHasEndedIsRefused() {
        String problem = "@Transactional(propagation = REQUIRED) may join the transaction that has just ended";
        String fix = "Set propagation = REQUIRES_NEW or NOT_SUPPORTED";
        for (Class<?> listener : List.of(JoiningMethod.class, JoiningType.class)) {
            contexts.withBean(listener)
                    .run(context -> DeclarationAssertions.assertRefused(
                            context.getStartupFailure(), listener.getSimpleName() + ".on(", problem, fix));
        }
        contexts.withBean(NotJoining.class).run(context -> {
            publish(context, new Seen("a"));
            steps.runAll();
            assertThat(AopTestUtils.<NotJoining>getTargetObject(context.getBean(NotJoining.class)).ran)
                    .containsExactlyInAnyOrder("new a", "none a");
        });
    }

    static class JoiningMethod {
        @TransactionalEventListener
        @OrderedAsync(stripe = "#event.account")
        @Transactional
        public void on(Seen event) {
            throw new AssertionError("never called");
        }
    }

    @Transactional
    static class JoiningType {
        @TransactionalEventListener
        @OrderedAsync(stripe = "#event.account")
        public void on(Seen event) {
            throw new AssertionError("never called");
        }
    }

    @Transactional
    static class NotJoining {
        private final List<String> ran = new ArrayList<>();

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void inNew(Seen event) {
            ran.add("new " + event.account());
        }

        @TransactionalEventListener
        @OrderedAsync(stripe = "#event.account")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void inNone(Seen event) {
            ran.add("none " + event.account());
        }
    }

    /** The annotation of a type means its public methods; Spring's own listener calls the others. */
    @Test
    void aListenerThatTheAnnotationOfItsTypeDoesNotMeanIsNotOrdered(CapturedOutput output) {
        contexts.withBean(NotPublic.class).run(context -> {
            assertThat(context).hasNotFailed();
            publish(context, new Seen("a"));
            assertThat(AopTestUtils.<NotPublic>getTargetObject(context.getBean(NotPublic.class)).ran)
                    .containsExactly("a");
        });
        assertThat(output)
                .contains("WARN")
                .containsOnlyOnce("NotPublic.on(OrderedTransactionalDeclarationsTest.Seen): the method is not public")
                .doesNotContain("NotPublic.onRollback");
    }

    @OrderedAsync(stripe = "#p0")
    static class NotPublic {
        private final List<String> ran = new ArrayList<>();

        public void write(String account) {
            ran.add(account);
        }

        @TransactionalEventListener
        void on(Seen event) {
            ran.add(event.account());
        }

        // these have no order of commits, whatever they are
        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        void onRollback(Seen event) {}
    }

    // several managers

    @Test
    void oneOfSeveralManagersHasToBeNamedOrPrimary() {
        contexts.withUserConfiguration(AnotherManager.class)
                .withBean(ByInterface.class)
                .run(context -> DeclarationAssertions.assertRefused(
                        context.getStartupFailure(),
                        "ByInterface.on(OrderedTransactionalDeclarationsTest.Seen)",
                        "there are several transaction managers for its transaction (transactions, others), and none"
                                + " is primary",
                        "Set transactionManager to the name of one"));
        contexts.withUserConfiguration(AnotherManager.class)
                .withBean(OfOthers.class)
                .run(context -> assertHandledBy(context, "others"));
        contexts.withUserConfiguration(PrimaryManager.class)
                .withBean(ByInterface.class)
                .run(context -> assertHandledBy(context, "primary"));
        contexts.withUserConfiguration(FallbackManager.class)
                .withBean(ByInterface.class)
                .run(context -> assertHandledBy(context, "transactions"));
        contexts.withUserConfiguration(AnotherManager.class, Configurer.class)
                .withBean(ByInterface.class)
                .run(context -> assertHandledBy(context, "others"));
    }

    @Test
    void theNamedManagerHasToExist() {
        contexts.withBean(OfOthers.class)
                .run(context -> DeclarationAssertions.assertRefused(
                        context.getStartupFailure(),
                        "OfOthers.on(OrderedTransactionalDeclarationsTest.Seen)",
                        "there is no transaction manager 'others' for its transaction",
                        "Set transactionManager to the name of a bean"));
        contexts.withUserConfiguration(AnotherManager.class)
                .withBean(OfUnknownType.class)
                .run(context -> DeclarationAssertions.assertRefused(
                        context.getStartupFailure(),
                        "OfUnknownType.on(OrderedTransactionalDeclarationsTest.Seen)",
                        "there are several transaction managers for its transaction",
                        "Set transactionManager to the name of one"));
    }

    @Test
    void withoutAManagerTheApplicationStarts() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
                .withUserConfiguration(WithoutManager.class)
                .withBean(ByInterface.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @EnableTransactionManagement
    static class WithoutManager {}

    @Qualifier("mails")
    static class OfUnknownType {
        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void on(Seen event) {}
    }

    private void assertHandledBy(ApplicationContext context, String manager) {
        context.getBean("transactions", EmptyTransactions.class).run(() -> context.publishEvent(new Seen("a")));
        List<String> committed = new ArrayList<>();
        context.getBeansOfType(EmptyTransactions.class)
                .forEach((name, each) -> each.atCommit = () -> committed.add(name));
        steps.runAll();
        assertThat(committed).containsExactly(manager);
    }

    static class AnotherManager {
        @Bean
        EmptyTransactions others() {
            return new EmptyTransactions();
        }
    }

    static class PrimaryManager {
        @Bean
        @Primary
        EmptyTransactions primary() {
            return new EmptyTransactions();
        }
    }

    static class FallbackManager {
        @Bean
        @Fallback
        EmptyTransactions fallback() {
            return new EmptyTransactions();
        }
    }

    static class Configurer {
        @Bean
        TransactionManagementConfigurer configurer(@Qualifier("others") EmptyTransactions others) {
            return () -> others;
        }
    }

    static class OfOthers {
        @OrderedTransactionalEventListener(stripe = "#event.account", transactionManager = "others")
        public void on(Seen event) {}
    }

    // virtual threads

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreads() {
        onThreads
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(OnThreads.class)
                .run(context -> {
                    publish(context, new Seen("a"));
                    OnThreads target = AopTestUtils.getTargetObject(context.getBean(OnThreads.class));
                    assertThat(target.thread.get(30, TimeUnit.SECONDS)).startsWith("VirtualThread");
                });
    }

    static class OnThreads {
        private final CompletableFuture<String> thread = new CompletableFuture<>();

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void on(Seen event) {
            thread.complete(Thread.currentThread().toString());
        }
    }

    // where the manager is

    @Test
    void aManagerOfTheParentContextTells(CapturedOutput output) {
        new ApplicationContextRunner()
                .withUserConfiguration(Transactions.class)
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
                        .withBean("steps", Steps.class, () -> steps)
                        .withPropertyValues("ordered-executor.executor=steps")
                        .withBean(ByInterface.class)
                        .run(context -> {
                            publish(context, new Seen("a"));
                            steps.runAll();
                            assertThat(AopTestUtils.<ByInterface>getTargetObject(context.getBean(OnSeen.class)).ran)
                                    .containsExactly("a");
                        }));
        assertThat(output).doesNotContain("No place was reserved");
    }

    @Test
    void withoutAnythingThatListensToManagersTheStartFails() {
        new ApplicationContextRunner()
                .withUserConfiguration(Transactions.class, WithoutPlaces.class)
                .withBean(ByInterface.class)
                .run(context -> DeclarationAssertions.assertRefused(
                        context.getStartupFailure(),
                        "ByInterface.on(OrderedTransactionalDeclarationsTest.Seen)",
                        "there is no bean that reserves places before a commit",
                        "OrderedTransactionsPostProcessor"));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutPlaces {
        @Bean
        static OrderedAsyncPostProcessor ordered() {
            return new OrderedAsyncPostProcessor();
        }

        @Bean
        static OrderedTransactionalEventListenerFactory listeners(ConfigurableListableBeanFactory beans) {
            return new OrderedTransactionalEventListenerFactory(beans);
        }

        @Bean(destroyMethod = "close")
        StripedExecutor stripedExecutor() {
            return StripedExecutor.builder().executor(Runnable::run).build();
        }
    }
}
