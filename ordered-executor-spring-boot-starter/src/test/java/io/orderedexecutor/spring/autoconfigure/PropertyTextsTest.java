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
                .contains("Set retry.attempts, retry.backoff or retry.ceiling.")
                .doesNotContain("Executors have names");
        assertThat(report("ordered-executor.striped.orders.turn: 3")).contains("Set turn.tasks or turn.time.");
        assertThat(report("ordered-executor.striped: 3"))
                .contains("'3'", "'ordered-executor.striped'", "ordered-executor.striped.<name>.<setting>");
        assertThat(report("ordered-executor.striped.threads: 3")).contains("ordered-executor.striped.<name>.threads");
        assertThat(report("ordered-executor.striped.orders: 3")).contains("ordered-executor.striped.<name>.<setting>");
        assertThat(report("ordered-executor.metrics: true")).contains("Set metrics.task-timers.");
        assertThat(report("ordered-executor.defaults: 3")).contains("The settings of an executor are ");
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
    void aBackoffAboveTheCeilingIsRefused() {
        assertThat(report("ordered-executor.striped.orders.retry: { attempts: 3, backoff: 2m }"))
                .contains("'2m'", "'ordered-executor.striped.orders.retry.backoff'")
                .contains("longer than the ceiling of all pauses, PT1M")
                .contains("'ordered-executor.striped.orders.retry.ceiling'");
        assertThat(report("ordered-executor.defaults.retry: { attempts: 3, backoff: 2s, ceiling: 1s }"))
                .contains("'2s'", "'ordered-executor.defaults.retry.backoff'");
        assertThat(report("""
                ordered-executor:
                  defaults.retry: { attempts: 3, backoff: 2s }
                  striped.orders.retry.ceiling: 1s
                """))
                .contains(
                        "'1s'",
                        "'ordered-executor.striped.orders.retry.ceiling'",
                        "shorter than the first pause, PT2S");
    }

    @Test
    void aConcurrencyAboveTheWindowIsRefused() {
        assertThat(report("ordered-executor.ordered-output.frames: { window: 4, concurrency: 5 }"))
                .contains("'5'", "'ordered-executor.ordered-output.frames.concurrency'")
                .contains("the window has 4 pieces");
        assertThat(report("ordered-executor.ordered-output.frames.concurrency: 257"))
                .contains("the window has 256 pieces");
        assertThat(report("ordered-executor: { defaults.concurrency: 9, ordered-output.frames.window: 8 }"))
                .contains("'8'", "'ordered-executor.ordered-output.frames.window'", "concurrency of 9");
    }

    @Test
    void unknownPropertiesAreCorrected() {
        assertThat(report("ordered-executor.striped.orders.capasity: 3"))
                .contains("'3'", "'application.yml - 1:43'", "Did you mean 'capacity'?");
        assertThat(report("ordered-executor.striped.orders.retry.attemps: 3"))
                .contains("Did you mean 'retry.attempts'?");
        assertThat(report("ordered-executor.enabeld: true")).contains("Did you mean 'enabled'?");
    }

    @Test
    void propertiesOfAMissingModuleAreRefusedWithItsDependency() {
        assertThat(report("ordered-executor.kafka.defaults.threads: 3"))
                .contains("'3'", "'ordered-executor.kafka.defaults.threads'")
                .contains("Add the dependency io.orderedexecutor:ordered-executor-kafka.");
    }

    @Test
    void invalidHealthPropertiesAreRefused() {
        assertThat(report("management.health.orderedexecutors.parked-threshold: -1"))
                .contains("'-1'", "'management.health.orderedexecutors.parked-threshold'")
                .contains("'application.yml - 1:54'", "at least 0");
        assertThat(report("management.health.orderedexecutors.capacity-threshold: 1.5"))
                .contains("'1.5'", "'application.yml - 1:56'", "from 0 to 1");
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
