package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;

/** The service and its caller in README.md, in an application with nothing else, print what the page shows. */
@ExtendWith(OutputCaptureExtension.class)
class PastedReadmeTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ComponentScan("com.example.bank")
    static class Application {}

    @Test
    void theExamplePrintsWhatIsShown(CapturedOutput output) throws IOException {
        List<String> shown = Page.read("README.md").blocks().stream()
                .filter(block -> block.language().equals("text"))
                .flatMap(block -> block.text().lines())
                .toList();
        assertThat(shown).hasSize(4);

        new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.config.location=optional:classpath:/none/") // not that of the sample
                .run()
                .close(); // finishes all calls

        List<String> printed = output.getOut()
                .lines()
                .filter(line -> line.matches("(alice|bob) .*\\d"))
                .toList();
        assertThat(printed).containsExactlyInAnyOrderElementsOf(shown);
        assertThat(printed).containsSubsequence("alice 500", "alice 20");
    }
}
