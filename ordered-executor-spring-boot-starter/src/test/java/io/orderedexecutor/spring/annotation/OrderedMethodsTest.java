package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says at the start of the methods that an executor keeps in order. */
@ExtendWith(OutputCaptureExtension.class)
class OrderedMethodsTest {
    private static final String NEVER_EQUAL = "have keys of types that are never equal";

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    static class Orders {
        @OrderedAsync(stripe = "#id")
        public void pay(long id) {}

        @OrderedAsync(groups = "{#from, #to}")
        public void move(Long from, Long to) {}

        @OrderedAsync(barrier = true)
        public void audit() {}
    }

    static class Elsewhere {
        @OrderedAsync(stripe = "#id", executor = "mails")
        public void send(String id) {}
    }

    static class OtherNumbers {
        @OrderedAsync(stripe = "#number")
        public void ship(int number) {}
    }

    static class Texts {
        @OrderedAsync(shared = "{#id}")
        public void read(String id) {}
    }

    static class TextsOfASpace {
        @OrderedAsync(shared = "{#id}", space = "users")
        public void read(String id) {}
    }

    static class NotKnown {
        @OrderedAsync(stripe = "#event")
        public void handle(Object event) {}

        @OrderedAsync(groups = "#ids")
        public void handleAll(List<String> ids) {}
    }

    @Test
    void eachExecutorHasALineWithItsMethods(CapturedOutput output) {
        contexts.withPropertyValues("ordered-executor.striped.mails.threads=1")
                .withBean(Orders.class)
                .withBean(Elsewhere.class)
                .run(context -> {
                    OrderedAsyncPostProcessor methods = context.getBean(OrderedAsyncPostProcessor.class);
                    assertThat(methods.methodsOf("ordered-executor"))
                            .containsExactly(
                                    "OrderedMethodsTest.Orders.audit()",
                                    "OrderedMethodsTest.Orders.move(Long, Long)",
                                    "OrderedMethodsTest.Orders.pay(long)");
                    assertThat(methods.methodsOf("mails")).containsExactly("OrderedMethodsTest.Elsewhere.send(String)");
                    assertThat(methods.methodsOf("nobody")).isEmpty();
                });
        assertThat(output.getOut().lines().filter(line -> line.contains("keeps these methods in order")))
                .hasSize(2)
                .anyMatch(line -> line.contains("INFO") && line.contains("'ordered-executor'"))
                .anyMatch(line -> line.endsWith("Ordered executor 'mails' keeps these methods in order, by their keys:"
                        + " OrderedMethodsTest.Elsewhere.send(String)"));
        assertThat(output).doesNotContain(NEVER_EQUAL);
    }

    @Test
    void numbersOfTwoTypesAreNoticed(CapturedOutput output) {
        contexts.withBean(Orders.class)
                .withBean(OtherNumbers.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getOut().lines().filter(line -> line.contains(NEVER_EQUAL)))
                .singleElement()
                .asString()
                .contains("WARN")
                .contains("Integer of OrderedMethodsTest.OtherNumbers.ship(int)")
                .contains("Long of OrderedMethodsTest.Orders.move(Long, Long) and OrderedMethodsTest.Orders.pay(long)");
    }

    @Test
    void numbersAndStringsAreNoticed(CapturedOutput output) {
        contexts.withBean(Orders.class)
                .withBean(Texts.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains(NEVER_EQUAL).contains("String of OrderedMethodsTest.Texts.read(String)");
    }

    @Test
    void aSpaceOfTheirOwnOrTypesThatAreNotKnownAreNoMistake(CapturedOutput output) {
        contexts.withBean(Orders.class)
                .withBean(TextsOfASpace.class)
                .withBean(NotKnown.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(NEVER_EQUAL);
    }
}
