package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What a native image learns of expressions. */
class KeyExpressionReflectiveProcessorTest {

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

    /** Annotations of an application stand for ours. */
    @Test
    void expressionsOfMetaAnnotations() throws Exception {
        assertInvocable(hintsOf(OnMetaAnnotation.class), Order.class, "customer");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OnSupplied.class,
                OnListed.class,
                OnMapped.class,
                OnArray.class,
                InProjection.class,
                InProjectionOfThis.class,
                InProjectionOfProjection.class,
                InProjectionOfMap.class,
                InSelection.class,
                BehindProjection.class,
                BehindSelection.class,
                BehindFirst.class,
                BehindFirstOfMap.class,
                InProjectionOfIterable.class,
                InProjectionOfArguments.class,
                InProjectionOfPaths.class,
                InArgumentInProjection.class,
                InIndexInProjection.class
            })
    void expressionsOnWhatAnArgumentHolds(Class<?> bean) throws Exception {
        assertInvocable(hintsOf(bean), Order.class, "customer");
        assertInvocable(hintsOf(bean), Customer.class, "getId");
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

        public Map<String, String> zones() {
            return Map.of();
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

    @Retention(RetentionPolicy.RUNTIME)
    @OrderedAsync(stripe = "#order.customer")
    @interface ByCustomer {}

    static class OnMetaAnnotation {
        @ByCustomer
        public void book(Order order) {}
    }

    static class OnSupplied {
        @OrderedAsync(stripe = "#order.get().customer.id")
        public void book(Supplier<Order> order) {}
    }

    static class OnListed {
        @OrderedAsync(stripe = "#orders[0].customer.id")
        public void book(List<Order> orders) {}
    }

    static class OnMapped {
        @OrderedAsync(stripe = "#orders['first'].customer.id")
        public void book(Map<String, Order> orders) {}
    }

    static class OnArray {
        @OrderedAsync(stripe = "#orders[0].customer.id")
        public void book(Order[] orders) {}
    }

    public record Batch(List<Order> orders) {}

    static class InProjection {
        @OrderedAsync(groups = "#orders.![customer.id]")
        public void book(List<Order> orders) {}
    }

    static class InProjectionOfThis {
        @OrderedAsync(groups = "#batch.orders.![#this.customer.id]")
        public void book(Batch batch) {}
    }

    static class InProjectionOfProjection {
        @OrderedAsync(groups = "#batches.![orders.![customer.id][0]]")
        public void book(Batch[] batches) {}
    }

    static class InProjectionOfMap {
        @OrderedAsync(groups = "#orders.![key + value.customer.id]")
        public void book(Map<String, Order> orders) {}
    }

    static class InSelection {
        @OrderedAsync(groups = "#orders.?[customer.id != null and true]")
        public void book(List<Order> orders) {}
    }

    static class BehindProjection {
        @OrderedAsync(stripe = "#orders.![customer][0].id")
        public void book(List<Order> orders) {}
    }

    static class BehindSelection {
        @OrderedAsync(stripe = "#orders.?[true][0].customer.id")
        public void book(List<Order> orders) {}
    }

    static class BehindFirst {
        @OrderedAsync(stripe = "#orders.^[true].customer.id")
        public void book(List<Order> orders) {}
    }

    static class BehindFirstOfMap {
        @OrderedAsync(stripe = "#orders.^[true]['first'].customer.id")
        public void book(Map<String, Order> orders) {}
    }

    static class InProjectionOfIterable {
        @OrderedAsync(groups = "#orders.![customer.id]")
        public void book(Iterable<Order> orders) {}
    }

    static class InProjectionOfArguments {
        @OrderedAsync(groups = "{#from, #to}.![customer.id]")
        public void book(Order from, Order to) {}
    }

    static class InProjectionOfPaths {
        @OrderedAsync(groups = "{#from.orders[0], #to.orders[0]}.![customer.id]")
        public void book(Batch from, Batch to) {}
    }

    static class InArgumentInProjection {
        @OrderedAsync(groups = "#orders.![region(customer.id).zone]")
        public void book(List<Order> orders) {}
    }

    static class InIndexInProjection {
        @OrderedAsync(groups = "#orders.![zones[customer.id]]")
        public void book(List<Order> orders) {}
    }

    static class Wrong {
        @OrderedAsync(stripe = "#order.")
        public void unfinished(Order order) {}

        @OrderedAsync(stripe = "#nobody.name")
        public void unknown(Order order) {}
    }
}
