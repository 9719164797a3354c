package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What is wrong with groups fails the start as what is wrong with a stripe does; see {@link DeclarationsTest}. */
@ExtendWith(OutputCaptureExtension.class)
class GroupsDeclarationsTest {
    @Test
    void declarationsWithoutKeyOrBarrierAreRefused() {
        assertRefused(
                Nothing.class,
                "Nothing.transfer(String, String)",
                "sets none of stripe, groups, shared and barrier",
                "Give it stripe = \"#from\" if a call belongs to one thing; or groups = \"{#from}\" if it can touch"
                        + " several, and shared = \"{#from}\" for those that it only reads.");
    }

    @Test
    void stripesTogetherWithGroupsAreRefused() {
        assertRefused(
                StripeAndGroups.class,
                "StripeAndGroups.transfer(String, String)",
                "has stripe together with groups, but",
                "Remove stripe and name its value among the groups, or remove groups.");
        assertRefused(
                StripeAndShared.class,
                "StripeAndShared.transfer(",
                "has stripe together with shared,",
                "remove shared.");
        assertRefused(
                AllThree.class,
                "AllThree.transfer(",
                "has stripe together with groups and shared,",
                "remove groups and shared.");
    }

    @Test
    void barriersTogetherWithKeysAreRefused() {
        assertRefused(
                BarrierAndGroups.class,
                "BarrierAndGroups.close(String)",
                "has barrier together with groups and shared, but a barrier has all groups already",
                "Remove groups and shared, or remove barrier.");
        assertRefused(
                BarrierAndStripe.class,
                "BarrierAndStripe.close(String)",
                "has stripe together with barrier,",
                "Remove stripe and name its value among the groups, or remove barrier.");
    }

    static class BarrierAndGroups {
        @OrderedAsync(barrier = true, groups = "#day", shared = "#day")
        public void close(String day) {}
    }

    static class BarrierAndStripe {
        @OrderedAsync(barrier = true, stripe = "#day")
        public void close(String day) {}
    }

    @Test
    void expressionsThatCanNeverHaveAValueAreRefused() {
        assertRefused(
                UnknownVariable.class,
                "UnknownVariable.transfer(String, String)",
                "has the groups \"{#from, #too}\", in which the variable #too is unknown",
                "Use one of #from, #to, #p0, #p1, #a0, #a1.");
        assertRefused(
                UnknownShared.class,
                "UnknownShared.transfer(",
                "has the shared groups \"#rates\", in which the variable #rates is unknown",
                "Use one of #from, #to,");
        assertRefused(NoHash.class, "NoHash.transfer(", "in which 'to' is unknown", "Use one of #from");
        assertRefused(
                UnknownBean.class,
                "UnknownBean.transfer(",
                "the bean @nope is unknown",
                "Define a bean named nope, or correct the name.");
        assertRefused(
                Syntax.class,
                "Syntax.transfer(",
                "has the groups \"{#from, #to\", which is not a valid SpEL expression",
                "Correct the expression, to groups = \"{#from}\" for instance.");
        assertRefused(Blank.class, "Blank.transfer(", "groups is blank", "such as groups = \"{#from}\".");
        assertRefused(BlankShared.class, "BlankShared.transfer(", "shared is blank", "such as shared = \"{#from}\".");
        assertRefused(
                Empty.class,
                "Empty.transfer(",
                "the groups \"{}\", a list without elements",
                "Name at least one group");
    }

    @Test
    void executorsOfTheOtherKindAreRefused() {
        CONTEXTS.withPropertyValues(
                        "ordered-executor.striped.orders.threads=1", "ordered-executor.grouped.transfers.threads=1")
                .withBean(GroupsOnOrders.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "GroupsOnOrders.transfer(",
                        "names the executor 'orders', but that bean is a io.orderedexecutor.StripedExecutor, not a"
                                + " GroupedExecutor",
                        "Use one of groupedExecutor, transfers, or rename the bean and configure"
                                + " ordered-executor.grouped.orders."));
        CONTEXTS.withBean(StripeOnOutputs.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "StripeOnOutputs.transfer(",
                        "names the executor 'orderedOutputExecutor', but that bean is a"
                                + " io.orderedexecutor.OrderedOutputExecutor, not a StripedExecutor",
                        "Use one of groupedExecutor, stripedExecutor, or rename the bean"));
        CONTEXTS.withBean(GroupsOnOrders.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "GroupsOnOrders.transfer(",
                        "names the executor 'orders', but there is no such GroupedExecutor bean",
                        "or configure ordered-executor.grouped.orders."));
        CONTEXTS.withPropertyValues("ordered-executor.grouped.orders.threads=1")
                .withBean(GroupsOnOrders.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void ambiguousExecutorsAreRefused() {
        CONTEXTS.withBean(
                        "one",
                        GroupedExecutor.class,
                        () -> GroupedExecutor.builder().build())
                .withBean(
                        "two",
                        GroupedExecutor.class,
                        () -> GroupedExecutor.builder().build())
                .withBean(Fine.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "Fine.",
                        "of the GroupedExecutor beans one, two none is primary",
                        "mark one as @Primary"));
    }

    @Test
    void arraysAsElementsGetAWarning(CapturedOutput output) {
        CONTEXTS.withBean(OfArrays.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("the groups \"{#from, #to}\", in which #to is an array")
                .doesNotContain("#from is an array")
                .doesNotContain("#all is an array");
    }

    @Test
    void validDeclarationsAreAccepted() {
        CONTEXTS.withBean(Fine.class).run(context -> assertThat(context).hasNotFailed());
    }

    static class Fine {
        @OrderedAsync(groups = "{#from, #to}")
        public void transfer(String from, String to) {}

        @OrderedAsync(groups = "#accounts.![name]", shared = "T(io.orderedexecutor.Key).of('bank', #p1)")
        public void collect(List<Thread> accounts, String rates) {}

        @OrderedAsync(shared = "'all'")
        public void read() {}
    }

    static class Nothing {
        @OrderedAsync
        public void transfer(String from, String to) {}
    }

    static class StripeAndGroups {
        @OrderedAsync(stripe = "#from", groups = "{#from, #to}")
        public void transfer(String from, String to) {}
    }

    static class StripeAndShared {
        @OrderedAsync(stripe = "#from", shared = "#to")
        public void transfer(String from, String to) {}
    }

    static class AllThree {
        @OrderedAsync(stripe = "#from", groups = "#from", shared = "#to")
        public void transfer(String from, String to) {}
    }

    static class UnknownVariable {
        @OrderedAsync(groups = "{#from, #too}")
        public void transfer(String from, String to) {}
    }

    static class UnknownShared {
        @OrderedAsync(groups = "{#from, #to}", shared = "#rates")
        public void transfer(String from, String to) {}
    }

    static class NoHash {
        @OrderedAsync(groups = "{#from, to}")
        public void transfer(String from, String to) {}
    }

    static class UnknownBean {
        @OrderedAsync(shared = "{#from, @nope.of(#to)}")
        public void transfer(String from, String to) {}
    }

    static class Syntax {
        @OrderedAsync(groups = "{#from, #to")
        public void transfer(String from, String to) {}
    }

    static class Blank {
        @OrderedAsync(groups = " ")
        public void transfer(String from, String to) {}
    }

    static class BlankShared {
        @OrderedAsync(groups = "#from", shared = " ")
        public void transfer(String from, String to) {}
    }

    static class Empty {
        @OrderedAsync(groups = "{}")
        public void transfer(String from, String to) {}
    }

    static class GroupsOnOrders {
        @OrderedAsync(groups = "{#from, #to}", executor = "orders")
        public void transfer(String from, String to) {}
    }

    static class StripeOnOutputs {
        @OrderedAsync(stripe = "#from", executor = "orderedOutputExecutor")
        public void transfer(String from, String to) {}
    }

    static class OfArrays {
        @OrderedAsync(groups = "{#from, #to}")
        public void transfer(String from, byte[] to) {}

        @OrderedAsync(groups = "#all")
        public void transfer(String[] all) {}
    }
}
