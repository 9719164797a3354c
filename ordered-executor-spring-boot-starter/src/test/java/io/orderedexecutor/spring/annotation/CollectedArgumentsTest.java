package io.orderedexecutor.spring.annotation;

import static io.orderedexecutor.spring.annotation.DeclarationAssertions.assertAccepted;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Calls are joined if their other arguments are equal, which some never are. */
@ExtendWith(OutputCaptureExtension.class)
class CollectedArgumentsTest {

    @Test
    void anArgumentThatIsNeverEqualToAnotherGetsAWarning(CapturedOutput output) {
        assertAccepted(NeverEqual.class);
        assertThat(output)
                .contains("WARN")
                .containsOnlyOnce("NeverEqual.write(String, List, CollectedArgumentsTest.Options) has whenBusy ="
                        + " COLLECT and the parameter options, which is a " + Options.class.getName()
                        + ", a class without equals: its instances are equal only to themselves, so only calls with the"
                        + " very same instance are joined.")
                .containsOnlyOnce("has whenBusy = COLLECT and the parameter flags, which is an array");
    }

    @Test
    void argumentsThatMayBeEqualGetNone(CapturedOutput output) {
        assertAccepted(PerhapsEqual.class);
        assertThat(output).doesNotContain("has whenBusy = COLLECT");
    }

    static class Options {}

    record Style(boolean loud) {}

    static class NeverEqual {
        @OrderedAsync(stripe = "#session", whenBusy = OrderedAsync.Mode.COLLECT)
        public void write(String session, List<String> lines, Options options) {}

        @OrderedAsync(stripe = "#session", whenBusy = OrderedAsync.Mode.COLLECT)
        public void mark(String session, List<String> lines, boolean[] flags) {}

        @OrderedAsync(stripe = "#session")
        public void queue(String session, Options options) {}
    }

    static class PerhapsEqual {
        @OrderedAsync(stripe = "#session", whenBusy = OrderedAsync.Mode.COLLECT)
        public void write(
                String session, List<String> lines, Style style, boolean loud, Object any, Map<String, String> more) {}
    }
}
