package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.fixtures.StartUpFailures;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Messages speak of properties: the advice is right, and nothing that is inside the library is named. */
class PropertyTextsTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OrderedExecutorAutoConfiguration.class,
                    OrderedExecutorsHealthContributorAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class));

    @Test
    void aValueInPlaceOfSettingsIsRefused() {
        assertThat(report("ordered-executor.striped.orders.retry: 3"))
                .contains("'3'", "'ordered-executor.striped.orders.retry'", "'application.yml - 1:40'")
                .contains("Set retry.max-retries, retry.delay, retry.multiplier, retry.max-delay, retry.jitter,"
                        + " retry.includes or retry.excludes.")
                .doesNotContain("Executors have names");
        assertThat(report("ordered-executor.striped: 3"))
                .contains("'3'", "'ordered-executor.striped'", "ordered-executor.striped.<name>.<setting>");
        assertThat(report("ordered-executor.striped.threads: 3")).contains("ordered-executor.striped.<name>.threads");
        assertThat(report("ordered-executor.striped.orders: 3")).contains("ordered-executor.striped.<name>.<setting>");
        assertThat(report("ordered-executor.metrics: true")).contains("Set metrics.task-timers.");
        assertThat(report("ordered-executor.retry: 3")).contains("Set retry.max-retries, ");
    }

    @Test
    void anUnknownChoiceIsRefusedWithAllThatExist() {
        assertThat(report("ordered-executor.striped.orders.overflow: blok"))
                .contains("'blok'", "'ordered-executor.striped.orders.overflow'", "'application.yml - 1:43'")
                .contains("It must be reject, block or discard-oldest.");
    }

    @Test
    void aCapacityThatIsTooLargeIsRefusedWithTheLargestOne() {
        assertThat(report("ordered-executor.striped.orders.capacity: 99999999999"))
                .contains("'99999999999'", "from 1 to 1000000000")
                .contains("Remove it for no limit.");
    }

    @Test
    void aWindowOfZeroIsRefusedWithTheDefault() {
        assertThat(report("ordered-executor.ordered-output.frames.window: 0"))
                .contains("from 1 to 1000000000")
                .contains("Remove it for 256.");
    }

    @Test
    void aFirstDelayAboveTheLongestIsRefused() {
        assertThat(report("ordered-executor.striped.orders.retry: { max-retries: 2, delay: 2m, max-delay: 1m }"))
                .contains("'1m'", "'ordered-executor.striped.orders.retry.max-delay'")
                .contains("It is shorter than the first delay, PT2M.")
                .contains("'ordered-executor.striped.orders.retry.delay'");
        assertThat(report("ordered-executor.retry: { max-retries: 2, max-delay: 500ms }"))
                .contains("'500ms'", "'ordered-executor.retry.max-delay'", "shorter than the first delay, PT1S");
    }

    @Test
    void excludedClassesAreClassesOfExceptions() {
        for (String wrong : new String[] {"no.such.Type", "java.lang.String"}) {
            String report = StartUpFailures.reportOf(StartUpFailures.withYaml(
                    contexts, "ordered-executor.retry: { max-retries: 2, excludes: [ " + wrong + " ] }"));
            assertThat(report)
                    .contains("'ordered-executor.retry.excludes[0]'", "'" + wrong + "'")
                    .contains("It must be the names of exception classes, such as"
                            + " java.lang.IllegalArgumentException.");
            assertThat(report.contains("No class 'no.such.Type' was found. It must be"))
                    .isEqualTo(wrong.equals("no.such.Type"));
        }
        assertThat(StartUpFailures.reportOf(StartUpFailures.withYaml(
                        contexts,
                        "ordered-executor.retry: { max-retries: 2, includes: 'java.io.IOException, demo.Gateway' }")))
                .contains("No class 'demo.Gateway' was found. It must be");
        for (String setting : new String[] {"includes", "excludes"}) {
            assertThat(StartUpFailures.reportOf(StartUpFailures.withYaml(
                            contexts, "ordered-executor.retry." + setting + ": java.lang.IllegalArgumentException")))
                    .contains("'ordered-executor.retry." + setting)
                    .contains("It has no effect, since failed tasks are neither retried nor park their keys.");
            assertThat(StartUpFailures.reportOf(StartUpFailures.withYaml(
                            contexts,
                            "ordered-executor.ordered-output.frames.retry." + setting
                                    + ": java.lang.IllegalArgumentException")))
                    .contains("'ordered-executor.ordered-output.frames.retry." + setting)
                    .contains("It has no effect, since failed tasks are not retried.");
            StartUpFailures.withYaml(
                            contexts,
                            "ordered-executor: { failure-policy: park, retry: { " + setting
                                    + ": java.lang.IllegalArgumentException } }")
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    @Test
    void aConcurrencyAboveTheWindowIsRefused() {
        assertThat(report("ordered-executor.ordered-output.frames: { window: 4, concurrency: 5 }"))
                .contains("'5'", "'ordered-executor.ordered-output.frames.concurrency'")
                .contains("the window has 4 pieces");
        assertThat(report("ordered-executor.ordered-output.frames.concurrency: 257"))
                .contains("the window has 256 pieces");
    }

    @Test
    void unknownPropertiesAreCorrected() {
        assertThat(report("ordered-executor.striped.orders.capasity: 3"))
                .contains("'3'", "'application.yml - 1:43'", "Did you mean 'capacity'?");
        assertThat(report("ordered-executor.striped.orders.retry.max-retrys: 3"))
                .contains("Did you mean 'retry.max-retries'?");
        assertThat(report("ordered-executor.enabeld: true")).contains("Did you mean 'enabled'?");
    }

    @Test
    void propertiesOfAMissingModuleAreRefusedWithItsDependency() {
        assertThat(report("ordered-executor.kafka.threads: 3"))
                .contains("'3'", "'ordered-executor.kafka.threads'")
                .contains("Add the dependency io.orderedexecutor:ordered-executor-kafka.");
    }

    @Test
    void invalidHealthPropertiesAreRefused() {
        assertThat(report("management.health.orderedexecutors.parked-threshold: -1"))
                .contains("'-1'", "'management.health.orderedexecutors.parked-threshold'")
                .contains("'application.yml - 1:54'", "at least 0");
        assertThat(report("management.health.orderedexecutors.age-threshold: 0s"))
                .contains("'0s'", "'application.yml - 1:51'", "more than zero");
        // what Spring Boot says of its own
        assertThat(StartUpFailures.reportOf(
                        StartUpFailures.withYaml(contexts, "management.health.orderedexecutors.parked-threshold: two")))
                .contains("two", "application.yml - 1:54");
        assertThat(report("management.health.orderedexecutors.age-treshold: 1m"))
                .contains("management.health.orderedexecutors.age-treshold", "application.yml - 1:50");
    }

    private String report(String yaml) {
        String report = StartUpFailures.reportOf(StartUpFailures.withYaml(contexts, yaml));
        assertThat(report.replace("java.util.concurrent.Executor", ""))
                .doesNotContain("java.", "Settings$", "ConverterNotFound", "No enum constant");
        return report;
    }
}
