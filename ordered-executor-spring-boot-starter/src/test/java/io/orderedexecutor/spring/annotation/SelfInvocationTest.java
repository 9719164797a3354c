package io.orderedexecutor.spring.annotation;

import static com.tngtech.archunit.library.ProxyRules.no_classes_should_directly_call_other_methods_declared_in_the_same_class_that_are_annotated_with;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import org.junit.jupiter.api.Test;

/** The rule that docs/testing.md gives to applications. */
class SelfInvocationTest {
    // begin: reference
    static final ArchRule CALLS_TAKE_THEIR_TURN =
            no_classes_should_directly_call_other_methods_declared_in_the_same_class_that_are_annotated_with(
                    OrderedAsync.class);
    // end: reference

    @Test
    void aCallWithinTheSameClassIsFound() {
        EvaluationResult result = CALLS_TAKE_THEIR_TURN.evaluate(new ClassFileImporter().importClasses(Wrong.class));
        assertThat(result.getFailureReport().getDetails())
                .singleElement()
                .asString()
                .contains("Wrong.all(")
                .contains("Wrong.one(");
    }

    @Test
    void aCallOfAnotherBeanIsFine() {
        CALLS_TAKE_THEIR_TURN.check(new ClassFileImporter().importClasses(Right.class, Wrong.class.getSuperclass()));
    }

    static class Wrong {
        @OrderedAsync(stripe = "#client")
        public void one(String client) {}

        void all(String... clients) {
            for (String client : clients) {
                one(client);
            }
        }
    }

    static class Right {
        private final Wrong other;

        Right(Wrong other) {
            this.other = other;
        }

        void all(String... clients) {
            for (String client : clients) {
                other.one(client);
            }
        }
    }
}
