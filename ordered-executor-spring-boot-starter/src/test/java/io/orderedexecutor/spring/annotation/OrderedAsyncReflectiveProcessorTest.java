package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What a native image learns of expressions. */
class OrderedAsyncReflectiveProcessorTest {

    @Test
    void expressionsOfMethods() throws Exception {
        RuntimeHints hints = hintsOf(OnMethods.class);
        assertInvocable(hints, OnMethods.class, "book", Order.class);
        assertInvocable(hints, Order.class, "customer");
        assertInvocable(hints, Customer.class, "getId");
        assertInvocable(hints, Order.class, "region", String.class);
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Customer.class, "zone"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("untouched")))
                .rejects(hints);
    }

    @Test
    void expressionsOfTypes() throws Exception {
        assertInvocable(hintsOf(OnType.class), Order.class, "customer");
    }

    @Test
    void whatIsWrongIsLeftToTheStart() {
        assertThat(hintsOf(Wrong.class).reflection().typeHints()).isNotEmpty();
    }

    private static void assertInvocable(RuntimeHints hints, Class<?> type, String method, Class<?>... parameters)
            throws NoSuchMethodException {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type.getDeclaredMethod(method, parameters)))
                .as(type + "." + method)
                .accepts(hints);
    }

    private static RuntimeHints hintsOf(Class<?> bean) {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, bean);
        return hints;
    }

    public record Order(Customer customer) {
        public Customer untouched() {
            return customer;
        }

        public Customer region(String name) {
            return customer;
        }
    }

    public static class Customer {
        public String zone = "";

        public String getId() {
            return "";
        }
    }

    static class OnMethods {
        @OrderedAsync(stripe = "'order of ' + #order.customer.id")
        public void book(Order order) {}

        @OrderedAsync(groups = "{#p0.region('north').zone}", shared = "#number")
        public void move(Order order, int number) {}
    }

    @OrderedAsync(stripe = "#order.customer")
    static class OnType {
        public void book(Order order) {}
    }

    static class Wrong {
        @OrderedAsync(stripe = "#order.")
        public void unfinished(Order order) {}

        @OrderedAsync(stripe = "#nobody.name")
        public void unknown(Order order) {}
    }
}
