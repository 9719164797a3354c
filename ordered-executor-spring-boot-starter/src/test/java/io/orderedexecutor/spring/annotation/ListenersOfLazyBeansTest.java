package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.autoconfigure.UnfinishedTasksHandler;
import io.orderedexecutor.spring.fixtures.EmptyTransactions;
import io.orderedexecutor.spring.fixtures.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** R12 in the starter: a listener whose bean is created only after the commit uses its reserved place, too. */
@ExtendWith(OutputCaptureExtension.class)
class ListenersOfLazyBeansTest {
    private final Steps steps = new Steps();
    private final List<String> ran = new ArrayList<>();
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class))
            .withUserConfiguration(Transactions.class)
            .withBean("steps", Steps.class, () -> steps)
            .withBean("ran", List.class, () -> ran)
            .withPropertyValues("ordered-executor.executor=steps", "spring.lifecycle.timeout-per-shutdown-phase=10ms");

    /** Publishes an event whose place is before that of a task that is submitted at the commit. */
    private void publishBeforeAnotherTask(ApplicationContext context) {
        EmptyTransactions transactions = context.getBean(EmptyTransactions.class);
        transactions.atCommit = () -> {
            transactions.atCommit = () -> {};
            context.getBean(StripedExecutor.class).execute("alice", () -> ran.add("later"));
        };
        transactions.run(() -> context.publishEvent(new Booked("alice")));
        steps.runAll();
    }

    @Test
    void aBeanOfWhichOnlyTheInterfaceIsKnown() {
        contexts.withUserConfiguration(ByInterface.class).run(context -> {
            publishBeforeAnotherTask(context);
            assertThat(ran).containsExactly("mail to alice", "later");
        });
    }

    @Test
    void aBeanWhoseCreationHasATransactionOfItsOwn() {
        contexts.withUserConfiguration(WithTransaction.class).run(context -> {
            publishBeforeAnotherTask(context);
            assertThat(ran).containsExactlyInAnyOrder("opened bob", "booked alice", "later");
            assertThat(ran).containsSubsequence("booked alice", "later");
        });
    }

    @Test
    void aCallThatComesToNoProxyIsLogged(CapturedOutput output) {
        contexts.withUserConfiguration(ByInterface.class)
                .withBean(PastTheProxy.class)
                .run(context -> {
                    publishBeforeAnotherTask(context);
                    assertThat(ran).containsExactly("past the proxy alice", "later");
                });
        assertThat(output)
                .contains("WARN")
                .doesNotContain("ERROR")
                .containsOnlyOnce("Mails.send(ListenersOfLazyBeansTest.Booked): the transaction has committed, but the"
                        + " call for its event has not used its reserved place");
    }

    @Test
    void aCallOfAnotherBeanOfTheInterfaceHasAPlaceOfItsOwn() {
        contexts.withUserConfiguration(WithAnotherOfTheInterface.class).run(context -> {
            publishBeforeAnotherTask(context);
            assertThat(ran).containsExactlyInAnyOrder("mail to bob", "mail to alice", "mail to alice", "later");
            assertThat(ran).containsSubsequence("mail to alice", "mail to alice", "later");
        });
    }

    @Test
    void aClassWithAnotherKeyThanItsInterfaceKeepsItsKey(CapturedOutput output) {
        contexts.withUserConfiguration(WithKeyOfItsOwn.class).run(context -> {
            publishBeforeAnotherTask(context);
            assertThat(ran).containsExactlyInAnyOrder("mail of key all", "later");
        });
        assertThat(output).contains("has not used its reserved place");
    }

    /** The call is a task only for the handler, and perhaps never runs. */
    @Test
    void aCallThatIsOnlyHandedOverDoesNotStayQueued() {
        List<Runnable> unfinished = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        contexts.withUserConfiguration(FailsOnce.class)
                .withBean(UnfinishedTasksHandler.class, () -> (executor, tasks) -> unfinished.addAll(tasks))
                .withBean(OrderedAsyncObserver.class, () -> observer(seen))
                .run(context -> {
                    publishBeforeAnotherTask(context);
                    assertThat(unfinished).hasSize(1);
                    assertThat(seen).containsExactly("submitted", "failed");
                    unfinished.get(0).run();
                    assertThat(ran).containsExactly("later", "mail to alice");
                    assertThat(seen).containsExactly("submitted", "failed", "started", "ended");
                });
    }

    private static OrderedAsyncObserver observer(List<String> seen) {
        return (call, executorName, executorType) -> {
            seen.add("submitted");
            return new OrderedAsyncObserver.WatchedCall() {
                @Override
                public OrderedAsyncObserver.WatchedRun started() {
                    seen.add("started");
                    return new OrderedAsyncObserver.WatchedRun() {
                        @Override
                        public void returned() {}

                        @Override
                        public void ended(@Nullable Throwable failure) {
                            seen.add("ended");
                        }
                    };
                }

                @Override
                public void failed(Throwable reason) {
                    seen.add("failed");
                }
            };
        };
    }

    record Booked(String account) {}

    record Opened(String account) {}

    interface Mails {
        @OrderedTransactionalEventListener(stripe = "#event.account")
        void send(Booked event);
    }

    static class SmtpMails implements Mails {
        private final List<String> ran;

        SmtpMails(List<String> ran) {
            this.ran = ran;
        }

        @Override
        public void send(Booked event) {
            ran.add("mail to " + event.account());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {
        @Bean
        @Lazy
        Mails mails(List<String> ran) {
            return new SmtpMails(ran);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FailsOnce {
        private final AtomicBoolean hasFailed = new AtomicBoolean();

        @Bean
        @Lazy
        Mails mails(List<String> ran) {
            if (hasFailed.compareAndSet(false, true)) {
                throw new IllegalStateException("expected");
            }
            return new SmtpMails(ran);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAnotherOfTheInterface {
        @Bean
        Mails first(List<String> ran) {
            return new SmtpMails(ran);
        }

        @Bean
        @Lazy
        Mails mails(List<String> ran, @Qualifier("first") Mails first) {
            first.send(new Booked("bob"));
            return new SmtpMails(ran);
        }
    }

    static class MailsOfOneKey implements Mails {
        private final List<String> ran;
        private final StripedExecutor executor;

        MailsOfOneKey(List<String> ran, StripedExecutor executor) {
            this.ran = ran;
            this.executor = executor;
        }

        @Override
        @OrderedTransactionalEventListener(stripe = "'all'")
        public void send(Booked event) {
            executor.inspect().runningTasks().forEach(task -> ran.add("mail of key " + task.key()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithKeyOfItsOwn {
        @Bean
        @Lazy
        Mails mails(List<String> ran, StripedExecutor executor) {
            return new MailsOfOneKey(ran, executor);
        }
    }

    static class Accounts {
        private final List<String> ran;

        Accounts(List<String> ran) {
            this.ran = ran;
        }

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void opened(Opened event) {
            ran.add("opened " + event.account());
        }
    }

    static class Bookings {
        private final List<String> ran;

        Bookings(List<String> ran) {
            this.ran = ran;
        }

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void booked(Booked event) {
            ran.add("booked " + event.account());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTransaction {
        @Bean
        Accounts accounts(List<String> ran) {
            return new Accounts(ran);
        }

        @Bean
        @Lazy
        Bookings bookings(List<String> ran, EmptyTransactions transactions, ApplicationEventPublisher events) {
            transactions.run(() -> events.publishEvent(new Opened("bob")));
            return new Bookings(ran);
        }
    }

    /** Puts something of its own in place of the proxy. */
    static class PastTheProxy implements BeanPostProcessor {
        private final List<String> ran;

        PastTheProxy(List<String> ran) {
            this.ran = ran;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof Mails ? (Mails) event -> ran.add("past the proxy " + event.account()) : bean;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        EmptyTransactions transactions() {
            return new EmptyTransactions();
        }
    }
}
