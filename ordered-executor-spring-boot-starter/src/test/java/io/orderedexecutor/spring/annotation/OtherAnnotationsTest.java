package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertAccepted;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.awspring.cloud.sqs.annotation.SqsHandler;
import io.awspring.cloud.sqs.annotation.SqsListener;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.scheduling.annotation.Scheduled;

/** Other annotations on an ordered method that take its return for its end. */
@ExtendWith(OutputCaptureExtension.class)
class OtherAnnotationsTest {

    @Test
    void kafkaListenersThatCommitWhatIsOnlyQueuedAreRefused() {
        String problem = "@KafkaListener acknowledges a message when the method returns";
        String fix = "@OrderedByKey of ordered-executor-kafka";
        assertRefused(VoidKafkaListener.class, "VoidKafkaListener.on(String)", problem, fix);
        assertRefused(VoidKafkaListener.class, "VoidKafkaListener.on(String)", problem, "Return CompletableFuture");
        assertRefused(StageKafkaListener.class, "StageKafkaListener.on(String)", problem, fix);
        assertRefused(KafkaListenerByMetaAnnotation.class, "KafkaListenerByMetaAnnotation.on(String)", problem, fix);
        assertRefused(
                KafkaListenerWithHandler.class,
                "KafkaListenerWithHandler.on(String)",
                "@KafkaHandler acknowledges a message when the method returns",
                fix);
        assertAccepted(FutureKafkaListener.class);
    }

    @Test
    void rabbitListenersThatAcknowledgeWhatIsOnlyQueuedAreRefused() {
        assertRefused(
                VoidRabbitListener.class,
                "VoidRabbitListener.on(String)",
                "@RabbitListener acknowledges",
                "Return CompletableFuture");
        assertRefused(
                RabbitListenerWithHandler.class,
                "RabbitListenerWithHandler.on(String)",
                "@RabbitHandler acknowledges",
                "Return CompletableFuture");
        assertAccepted(FutureRabbitListener.class);
    }

    @Test
    void sqsListenersThatAcknowledgeWhatIsOnlyQueuedAreRefused() {
        assertRefused(
                VoidSqsListener.class,
                "VoidSqsListener.on(String)",
                "@SqsListener acknowledges",
                "Return CompletableFuture");
        assertAccepted(FutureSqsListener.class);
        assertRefused(
                VoidSqsHandler.class,
                "VoidSqsHandler.on(String)",
                "@SqsHandler acknowledges",
                "Return CompletableFuture");
    }

    /** A JMS container takes a returned future for the payload of a reply. */
    @Test
    void jmsListenersAreRefusedWhateverTheyReturn() {
        String fix =
                "Move @OrderedAsync to a method of another bean that returns CompletableFuture, and join() its result"
                        + " in the listener.";
        assertRefused(VoidJmsListener.class, "VoidJmsListener.on(String)", "@JmsListener acknowledges", fix);
        assertRefused(FutureJmsListener.class, "FutureJmsListener.on(String)", "@JmsListener acknowledges", fix);
    }

    @Test
    void beanMethodsAreRefused() {
        assertRefused(
                Beans.class,
                "Beans.orders(",
                "a @Bean method makes a bean, and its calls are not the calls of that bean",
                "Annotate the methods of the class");
    }

    /** Spring calls them on the object, before there is a proxy or past it. */
    @Test
    void callbacksOfTheLifecycleAreRefused() {
        String fix = "Call it from another bean, or let it listen with @EventListener";
        assertRefused(AtTheStart.class, "AtTheStart.load(", "Spring calls a @PostConstruct method past the proxy", fix);
        assertRefused(AtTheEnd.class, "AtTheEnd.save(", "Spring calls a @PreDestroy method past the proxy", fix);
        assertRefused(WithAll.class, "WithAll.load(", "Spring calls a @PostConstruct method past the proxy", fix);
    }

    static class AtTheStart {
        @PostConstruct
        @OrderedAsync(stripe = "'all'")
        public void load() {}
    }

    static class AtTheEnd {
        @PreDestroy
        @OrderedAsync(stripe = "'all'")
        void save() {}
    }

    @OrderedAsync(stripe = "'all'")
    static class WithAll {
        @PostConstruct
        public void load() {}
    }

    @Test
    void aFixedDelayThatRunsFromTheSubmissionGetsAWarning(CapturedOutput output) {
        assertAccepted(FixedDelay.class);
        assertThat(output.getOut().split("@Scheduled\\(fixedDelay\\)", -1))
                .as("one warning for each of two methods")
                .hasSize(3);
        assertThat(output)
                .contains("FixedDelay.poll()")
                .contains("FixedDelay.pollByProperty()")
                .contains("the delay begins when the call is queued, not when it has ended");
    }

    @Test
    void whateverIsRepeatedWithoutWaitingGetsAWarningThatNamesTheCure(CapturedOutput output) {
        assertAccepted(Repeated.class);
        for (String kind : List.of("fixedRate", "cron")) {
            assertThat(output.getOut().split("@Scheduled\\(" + kind + "\\)", -1))
                    .as(kind)
                    .hasSize(3);
        }
        for (String method : List.of("byRate", "byRateProperty", "byCron", "byCronProperty")) {
            assertThat(output).containsOnlyOnce("Repeated." + method + "() is @Scheduled");
        }
        assertThat(output)
                .contains("the next call is made whether or not this one has ended")
                .contains("Give it a stripe and whenBusy = REFUSE")
                .doesNotContain("Repeated.skipped() is @Scheduled")
                .doesNotContain("Repeated.latest() is @Scheduled")
                .doesNotContain("Repeated.once() is @Scheduled")
                .doesNotContain("Repeated.never() is @Scheduled");
    }

    static class Repeated {
        @Scheduled(fixedRate = 10)
        @OrderedAsync(stripe = "'all'")
        public void byRate() {}

        @Scheduled(fixedRateString = "${rate}")
        @OrderedAsync(groups = "'all'")
        public void byRateProperty() {}

        @Scheduled(cron = "* * * * * *")
        @OrderedAsync(stripe = "'all'")
        public void byCron() {}

        @Scheduled(cron = "${cron}")
        @OrderedAsync(stripe = "'all'")
        public void byCronProperty() {}

        @Scheduled(fixedRate = 10)
        @OrderedAsync(stripe = "'all'", whenBusy = OrderedAsync.Mode.REFUSE)
        public void skipped() {}

        @Scheduled(cron = "* * * * * *")
        @OrderedAsync(stripe = "'all'", whenBusy = OrderedAsync.Mode.LATEST)
        public void latest() {}

        @Scheduled(initialDelay = 10)
        @OrderedAsync(stripe = "'all'")
        public void once() {}

        @Scheduled(cron = "-")
        @OrderedAsync(stripe = "'all'")
        public void never() {}
    }

    static class VoidKafkaListener {
        @KafkaListener
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    static class StageKafkaListener {
        @KafkaListener
        @OrderedAsync(stripe = "#clientId")
        public CompletionStage<Void> on(String clientId) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class FutureKafkaListener {
        @KafkaListener
        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Void> on(String clientId) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @KafkaListener
    @Retention(RetentionPolicy.RUNTIME)
    @interface OrdersTopic {}

    static class KafkaListenerByMetaAnnotation {
        @OrdersTopic
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    @KafkaListener
    static class KafkaListenerWithHandler {
        @KafkaHandler
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    static class VoidRabbitListener {
        @RabbitListener
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    @RabbitListener
    static class RabbitListenerWithHandler {
        @RabbitHandler
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    static class FutureRabbitListener {
        @RabbitListener
        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Void> on(String clientId) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class VoidSqsListener {
        @SqsListener
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    @SqsListener
    static class VoidSqsHandler {
        @SqsHandler
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    static class FutureSqsListener {
        @SqsListener
        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Void> on(String clientId) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class VoidJmsListener {
        @JmsListener
        @OrderedAsync(stripe = "#clientId")
        public void on(String clientId) {}
    }

    static class FutureJmsListener {
        @JmsListener
        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<Void> on(String clientId) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Configuration
    static class Beans {
        @Bean
        @OrderedAsync(stripe = "'all'")
        public CompletableFuture<String> orders() {
            return CompletableFuture.completedFuture("a bean");
        }
    }

    static class FixedDelay {
        @Scheduled(fixedDelay = 10)
        @OrderedAsync(stripe = "'all'")
        public void poll() {}

        @Scheduled(cron = "0 0 0 * * *")
        @Scheduled(fixedDelayString = "${delay}")
        @OrderedAsync(stripe = "'all'")
        public void pollByProperty() {}
    }
}
