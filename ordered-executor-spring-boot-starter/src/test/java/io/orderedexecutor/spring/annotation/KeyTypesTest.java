package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertAccepted;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the declared types of parameters say of an expression before there is a call. */
@ExtendWith(OutputCaptureExtension.class)
class KeyTypesTest {

    @Test
    void propertiesThatARecordDoesNotHaveAreRefused() {
        assertRefused(
                MisspeltComponent.class,
                "MisspeltComponent.handle(",
                "\"#order.idd\", in which 'idd' is not a property of " + Order.class.getName(),
                "Use one of customer, id, total.");
        assertRefused(
                MisspeltNestedComponent.class,
                "MisspeltNestedComponent.handle(",
                "'nam' is not a property of " + Customer.class.getName(),
                "Use one of credit, name.");
        assertRefused(
                MisspeltInList.class,
                "MisspeltInList.handle(",
                "'idd' is not a property of " + Order.class.getName(),
                "id");
    }

    @Test
    void methodsThatAFinalTypeDoesNotHaveAreRefused() {
        assertRefused(
                MisspeltMethod.class,
                "MisspeltMethod.handle(",
                "'lenght()' is not a method of java.lang.String",
                "Correct its name, or the number of its arguments.");
        assertRefused(
                WrongNumberOfArguments.class,
                "WrongNumberOfArguments.handle(",
                "'substring(1,2,3)' is not a method of java.lang.String",
                "the number of its arguments");
    }

    @Test
    void whatATypeHasOrASubtypeMayHaveIsAccepted() {
        assertAccepted(Right.class);
    }

    @Test
    void keysOfClassesWithoutEqualsGetAWarning(CapturedOutput output) {
        assertAccepted(WithoutEquals.class);
        assertThat(output.getOut()
                        .lines()
                        .filter(line -> line.contains("a class without equals") || line.contains("an array"))
                        .collect(Collectors.joining("\n")))
                .contains("WithoutEquals.bySession(", "in which #session is a " + Session.class.getName())
                .contains("a class without equals: its instances are equal only to themselves")
                .contains("WithoutEquals.byCounter(")
                .contains("WithoutEquals.bySessionOfVisit(")
                .contains("WithoutEquals.byGroups(")
                .contains("WithoutEquals.byArrayOfVisit(")
                .doesNotContain("WithoutEquals.byId(")
                .doesNotContain("WithoutEquals.byUuid(")
                .doesNotContain("WithoutEquals.byClass(")
                .doesNotContain("WithoutEquals.byInterface(")
                .doesNotContain("WithoutEquals.byEnum(");
    }

    record Order(long id, Customer customer) {
        public long getTotal() {
            return 0;
        }
    }

    record Customer(String name) {
        boolean isVip() {
            return false;
        }

        public long credit() {
            return 0;
        }
    }

    static class Event {
        public String getId() {
            return "";
        }
    }

    static class Session {
        public String id() {
            return "";
        }
    }

    record Visit(Session session) {
        public byte[] token() {
            return new byte[0];
        }
    }

    enum Region {
        NORTH,
        SOUTH {
            @Override
            public String toString() {
                return "south";
            }
        }
    }

    static class MisspeltComponent {
        @OrderedAsync(stripe = "#order.idd")
        public void handle(Order order) {}
    }

    static class MisspeltNestedComponent {
        @OrderedAsync(stripe = "#order.customer?.nam")
        public void handle(Order order) {}
    }

    static class MisspeltInList {
        @OrderedAsync(groups = "{#p1, #p0.idd}")
        public void handle(Order order, String other) {}
    }

    static class MisspeltMethod {
        @OrderedAsync(stripe = "#clientId.lenght()")
        public void handle(String clientId) {}
    }

    static class WrongNumberOfArguments {
        @OrderedAsync(stripe = "#clientId.substring(1, 2, 3)")
        public void handle(String clientId) {}
    }

    static class Right {
        @OrderedAsync(stripe = "#order.id + #order.customer.name + #order.customer.credit + #order.total")
        public void record(Order order) {}

        @OrderedAsync(stripe = "#order.getTotal() + #order.customer().name().toUpperCase().substring(0, 1).length()")
        public void methods(Order order) {}

        @OrderedAsync(stripe = "#event.anythingElse")
        public void propertyOfASubclass(Event event) {}

        @OrderedAsync(stripe = "#event.id.bytes.length + #bytes.length + #event.id.class.name.empty")
        public void lengthsAndClasses(Event event, byte[] bytes) {}

        @OrderedAsync(stripe = "#type.MAX_VALUE + #type.simpleName")
        public void staticMembers(Class<?> type) {}

        @OrderedAsync(stripe = "#order?.name")
        public void unwrapped(Optional<Customer> order) {}

        @OrderedAsync(stripe = "#number.intValue() + #text.format('%s %s', 1, 2)")
        public void primitivesAndVariableArguments(long number, String text) {}

        @OrderedAsync(stripe = "#orders.![id] + #orders[0].anything")
        public void elements(List<Order> orders) {}
    }

    static class WithoutEquals {
        @OrderedAsync(stripe = "#session")
        public void bySession(Session session) {}

        @OrderedAsync(stripe = "#counter")
        public void byCounter(AtomicLong counter) {}

        @OrderedAsync(stripe = "#visit.session")
        public void bySessionOfVisit(Visit visit) {}

        @OrderedAsync(groups = "{#session, #id}")
        public void byGroups(Session session, String id) {}

        @OrderedAsync(stripe = "#visit.token")
        public void byArrayOfVisit(Visit visit) {}

        @OrderedAsync(stripe = "#visit.session.id()")
        public void byId(Visit visit) {}

        @OrderedAsync(stripe = "#id")
        public void byUuid(UUID id) {}

        @OrderedAsync(stripe = "#type")
        public void byClass(Class<?> type) {}

        @OrderedAsync(stripe = "#session")
        public void byInterface(Runnable session) {}

        @OrderedAsync(stripe = "#region")
        public void byEnum(Region region) {}
    }
}
