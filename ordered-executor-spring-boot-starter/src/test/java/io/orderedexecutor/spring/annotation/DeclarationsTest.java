package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.CONTEXTS;
import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Async;

/** What is wrong with a declaration fails the start, and the message says where it is and what to change. */
@ExtendWith(OutputCaptureExtension.class)
class DeclarationsTest {
    @Test
    void unknownVariablesAreRefused() {
        assertRefused(
                UnknownVariable.class,
                "UnknownVariable.handle(String, int)",
                "\"#clientID\", in which the variable #clientID is unknown",
                "Use one of #clientId, #number, #p0, #p1, #a0, #a1.");
        assertRefused(InArgument.class, "InArgument.handle(", "the variable #other is unknown", "Use one of #clientId");
        assertRefused(
                NoParameters.class, "NoParameters.handle()", "#clientId is unknown", "The method has no parameters");
        assertRefused(Root.class, "Root.handle(", "the variable #root is unknown", "Use one of #clientId");
        assertRefused(Function.class, "Function.handle(", "the function #hash(#clientId) is unknown", "Use one of");
    }

    @Test
    void parametersWithANameOfSpelAreRefusedUnlessUsedByPosition() {
        assertRefused(
                RootParameter.class,
                "RootParameter.handle(",
                "\"#root\", in which #root is SpEL's own and not the parameter of that name",
                "Use #p1, or rename the parameter.");
        assertRefused(
                RootParameterInElement.class,
                "RootParameterInElement.handle(",
                "in which #root is SpEL's own",
                "Use #p1, or rename the parameter.");
        CONTEXTS.withBean(RootParameterByPosition.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void variablesWithoutHashSignsAreRefused() {
        assertRefused(
                NoHash.class, "NoHash.handle(", "\"clientId\", in which 'clientId' is unknown", "Use one of #clientId");
        assertRefused(NoHashMethod.class, "NoHashMethod.handle(", "'key()' is unknown", "Use one of #clientId");
    }

    @Test
    void unknownBeansAreRefused() {
        assertRefused(
                UnknownBean.class,
                "UnknownBean.handle(",
                "\"@nope.key(#s)\", in which the bean @nope is unknown",
                "Define a bean named nope, or correct the name.");
        assertRefused(
                UnknownQuotedBean.class,
                "UnknownQuotedBean.handle(",
                "the bean @'keys.of' is unknown",
                "Define a bean named keys.of,");
        CONTEXTS.withBean("nope", StringBuilder.class, StringBuilder::new)
                .withBean(UnknownBean.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void syntaxErrorsAndBlankStripesAreRefused() {
        assertRefused(
                Syntax.class,
                "Syntax.handle(",
                "\"#clientId +\", which is not a valid SpEL expression",
                "stripe = \"#clientId\"");
        assertRefused(Blank.class, "Blank.handle(", "stripe is blank", "stripe = \"#clientId\"");
    }

    @Test
    void methodsThatCannotBeInterceptedAreRefused() {
        assertRefused(Private.class, "Private.handle(", "a private method", "Make it a public instance method");
        assertRefused(Static.class, "Static.handle(", "a static method", "Make it a public instance method");
        assertRefused(FinalMethod.class, "FinalMethod.handle(", "a final method", "Remove final");
        assertRefused(FinalClass.class, "FinalClass.handle(", "the class is final", "Remove final");
    }

    @Test
    void unsupportedReturnTypesAreRefused() {
        assertRefused(
                ReturnsString.class,
                "ReturnsString.handle(",
                "returns java.lang.String",
                "Return void, CompletableFuture");
        assertRefused(ReturnsInt.class, "ReturnsInt.handle(", "returns int", "Return void, CompletableFuture");
        assertRefused(
                ReturnsTask.class, "ReturnsTask.handle(", "returns java.util.concurrent.FutureTask", "Return void");
        assertRefused(ByType.class, "ByType.name(", "returns java.lang.String", "move it to the methods");
        assertRefused(Suspends.class, "Suspends.handle(", "a suspend function", "returns CompletableFuture");
    }

    @Test
    void asyncOnTheSameMethodOrTypeIsRefused() {
        assertRefused(AsyncMethod.class, "AsyncMethod.handle(", "@Async on the same method", "Remove @Async");
        assertRefused(AsyncType.class, "AsyncType.handle(", "@Async on the same type", "Remove @Async");
    }

    @Test
    void executorsThatDoNotExistAreRefused() {
        CONTEXTS.withPropertyValues("ordered-executor.striped.payments.threads=1")
                .withBean(NoExecutor.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "NoExecutor.handle(",
                        "names the executor 'payment', but there is no such StripedExecutor bean",
                        "Use one of groupedExecutor, payments, stripedExecutor, or configure"
                                + " ordered-executor.striped.payment."));
        CONTEXTS.withBean("payment", String.class, () -> "of another type")
                .withBean(NoExecutor.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "NoExecutor.handle(",
                        "names the executor 'payment', but that bean is a java.lang.String, not a StripedExecutor",
                        "Use one of groupedExecutor, stripedExecutor, or rename the bean and configure"
                                + " ordered-executor.striped.payment."));
    }

    /** What logs, meters and the endpoint call the default executor is no name of a bean, nor of one to configure. */
    @Test
    void theNameOfTheDefaultExecutorIsLeftOut() {
        CONTEXTS.withBean(NamesTheDefault.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "NamesTheDefault.handle(",
                        "names the executor 'ordered-executor', but there is no such StripedExecutor bean",
                        "Leave executor empty for the default executor, or use one of groupedExecutor,"
                                + " stripedExecutor."));
    }

    @Test
    void executorPlaceholdersWithoutAValueAreRefused() {
        assertRefused(
                Placeholder.class,
                "Placeholder.handle(",
                "names the executor '${nope}', a placeholder that cannot be resolved",
                "Set the property, or give it a default as in ${name:stripedExecutor}.");
        CONTEXTS.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .withBean(Placeholder.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "Placeholder.handle(",
                        "names the executor '${nope}', a placeholder that cannot be resolved",
                        "Set the property, or give it a default as in ${name:stripedExecutor}."));
    }

    @Test
    void ambiguousExecutorsAreRefused() {
        CONTEXTS.withBean(
                        "one",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().build())
                .withBean(
                        "two",
                        StripedExecutor.class,
                        () -> StripedExecutor.builder().build())
                .withBean(Fine.class)
                .run(context -> assertRefused(
                        context.getStartupFailure(),
                        "Fine.handle(",
                        "of the StripedExecutor beans one, two none is primary",
                        "mark one as @Primary"));
    }

    @Test
    void validDeclarationsAreAccepted() {
        CONTEXTS.withBean(Fine.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void arraysGetAWarning(CapturedOutput output) {
        CONTEXTS.withBean(OfArray.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("OfArray.handle(byte[])")
                .contains("an array")
                .contains("Use a value with equals");
    }

    static class Fine {
        @OrderedAsync(stripe = "#names.?[length() > 1].![toUpperCase() + #this]")
        public void handle(List<String> names) {}

        @OrderedAsync(stripe = "T(java.util.Objects).hash(#map[key], #p0.size(), {#map.size(), 'x'})")
        public void handle(java.util.Map<String, String> map) {}

        @OrderedAsync(stripe = "{name: #name, 'with': {length: #name.length()}}")
        public void handle(String name) {}

        @OrderedAsync(stripe = "#a?.b ?: 'none'")
        public void handle(Object a) {}
    }

    static class NamesTheDefault {
        @OrderedAsync(stripe = "#a", executor = "ordered-executor")
        public void handle(String a) {}
    }

    static class UnknownVariable {
        @OrderedAsync(stripe = "#clientID")
        public void handle(String clientId, int number) {}
    }

    static class InArgument {
        @OrderedAsync(stripe = "#clientId.concat(#other)")
        public void handle(String clientId) {}
    }

    static class NoParameters {
        @OrderedAsync(stripe = "#clientId")
        public void handle() {}
    }

    static class Root {
        @OrderedAsync(stripe = "#root.args[0]")
        public void handle(String clientId) {}
    }

    static class Function {
        @OrderedAsync(stripe = "#hash(#clientId)")
        public void handle(String clientId) {}
    }

    static class NoHash {
        @OrderedAsync(stripe = "clientId")
        public void handle(String clientId) {}
    }

    static class NoHashMethod {
        @OrderedAsync(stripe = "key()")
        public void handle(String clientId) {}
    }

    static class Syntax {
        @OrderedAsync(stripe = "#clientId +")
        public void handle(String clientId) {}
    }

    static class Blank {
        @OrderedAsync(stripe = " ")
        public void handle(String clientId) {}
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"})
    static class Private {
        @OrderedAsync(stripe = "#clientId")
        private void handle(String clientId) {}
    }

    static class Static {
        @OrderedAsync(stripe = "#clientId")
        public static void handle(String clientId) {}
    }

    static class FinalMethod {
        @OrderedAsync(stripe = "#clientId")
        public final void handle(String clientId) {}
    }

    static final class FinalClass {
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }

    static class ReturnsString {
        @OrderedAsync(stripe = "#clientId")
        public String handle(String clientId) {
            return "";
        }
    }

    static class ReturnsInt {
        @OrderedAsync(stripe = "#clientId")
        public int handle(String clientId) {
            return 0;
        }
    }

    static class ReturnsTask {
        @OrderedAsync(stripe = "#clientId")
        public FutureTask<String> handle(String clientId) {
            return new FutureTask<>(() -> "");
        }
    }

    @OrderedAsync(stripe = "#clientId")
    static class ByType {
        public String name(String clientId) {
            return "";
        }
    }

    static class Suspends {
        @OrderedAsync(stripe = "#clientId")
        public Object handle(String clientId, kotlin.coroutines.Continuation continuation) {
            return "";
        }
    }

    static class AsyncMethod {
        @Async
        @OrderedAsync(stripe = "#clientId")
        public Future<String> handle(String clientId) {
            return CompletableFuture.completedFuture("");
        }
    }

    @Async
    static class AsyncType {
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId) {}
    }

    static class NoExecutor {
        @OrderedAsync(stripe = "#clientId", executor = "payment")
        public void handle(String clientId) {}
    }

    static class Placeholder {
        @OrderedAsync(stripe = "#clientId", executor = "${nope}")
        public void handle(String clientId) {}
    }

    static class UnknownBean {
        @OrderedAsync(stripe = "@nope.key(#s)")
        public void handle(String s) {}
    }

    static class UnknownQuotedBean {
        @OrderedAsync(stripe = "{#s, @'keys.of'}")
        public void handle(String s) {}
    }

    static class RootParameter {
        @OrderedAsync(stripe = "#root")
        public void handle(int number, String root) {}
    }

    static class RootParameterInElement {
        @OrderedAsync(stripe = "#names.![#root + #this]")
        public void handle(List<String> names, String root) {}
    }

    static class RootParameterByPosition {
        @OrderedAsync(stripe = "#p0.![#this + #p1]")
        public void handle(List<String> names, String root) {}
    }

    static class OfArray {
        @OrderedAsync(stripe = "#key")
        public void handle(byte[] key) {}
    }
}
