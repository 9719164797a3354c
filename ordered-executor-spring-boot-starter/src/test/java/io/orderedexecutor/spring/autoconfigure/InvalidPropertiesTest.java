package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.fixtures.StartUpFailures;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Wrong values fail the start, and the message names the property, the value, where it is, and the mend. */
class InvalidPropertiesTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void threadsBelowOneAreRefused() {
        String analysis = analyze("""
                ordered-executor:
                  striped:
                    orders:
                      threads: 0
                """);
        assertThat(analysis)
                .contains("'ordered-executor.striped.orders.threads'")
                .contains("Invalid value '0'")
                .contains("(originating from 'application.yml - 4:16')")
                .contains("It must be a whole number, at least 1. Remove it for as many threads as processors.");
    }

    @Test
    void invalidDefaultsAreRefused() {
        String analysis = analyze("ordered-executor.threads: -1");
        assertThat(analysis)
                .contains("'ordered-executor.threads'")
                .contains("Invalid value '-1'")
                .contains("(originating from 'application.yml - 1:27')");
    }

    @Test
    void valuesOfAnotherTypeAreRefused() {
        String duration = analyze("ordered-executor.striped.orders.retry.delay: soon");
        assertThat(duration)
                .contains("'ordered-executor.striped.orders.retry.delay'")
                .contains("Invalid value 'soon'")
                .contains("(originating from 'application.yml - 1:46')")
                .contains("It must be a duration of at least zero such as 100ms.");

        String number = analyze("ordered-executor.striped.orders.threads: many");
        assertThat(number).contains("Invalid value 'many'");
        assertThat(number).contains("It must be a whole number, at least 1.");

        String flag = analyze("ordered-executor.metrics.task-timers: perhaps");
        assertThat(flag).contains("Invalid value 'perhaps'");
        assertThat(flag).contains("It must be true or false.");
    }

    @Test
    void unknownPropertiesAreRefused() {
        String setting = analyze("ordered-executor.striped.orders.thread: 4");
        assertThat(setting)
                .contains("'ordered-executor.striped.orders.thread'")
                .contains("Invalid value '4'")
                .contains("(originating from 'application.yml - 1:41')")
                .contains("There is no such property.");
        assertThat(setting)
                .contains("The settings of a striped executor are key-capacity, failure-policy,")
                .contains("retry.max-retries, retry.delay, retry.multiplier, retry.max-delay, retry.jitter,"
                        + " retry.includes, retry.excludes and warn-after.")
                .contains("Did you mean 'threads'?")
                .contains("Correct the name, or remove the property.");

        String section = analyze("ordered-executor.default.threads: 4");
        assertThat(section).contains("'ordered-executor.default.threads'");
        assertThat(section)
                .contains("threads, executor,")
                .contains("striped.<name>.*")
                .contains("grouped.<name>.*");
    }

    @Test
    void settingsWithoutTheNameOfAnExecutorAreRefused() {
        String analysis = analyze("ordered-executor.striped.threads: 4");
        assertThat(analysis).contains("'ordered-executor.striped.threads'").contains("Invalid value '4'");
        assertThat(analysis).contains("set 'ordered-executor.striped.<name>.threads'");
    }

    @Test
    void blankExecutorNamesAreRefused() {
        String analysis = analyze("""
                ordered-executor:
                  striped:
                    "[ ]":
                      threads: 4
                """);
        assertThat(analysis)
                .contains("'ordered-executor.striped[ ].threads'")
                .contains("The name of the executor is blank. Give it a name.");
    }

    @Test
    void anUnknownExecutorBeanIsRefused() {
        Executor pool = Runnable::run;
        String analysis = analyze(
                contexts.withBean("pool", Executor.class, () -> pool),
                "ordered-executor.striped.orders.executor: poool");
        assertThat(analysis)
                .contains("'ordered-executor.striped.orders.executor'")
                .contains("Invalid value 'poool'")
                .contains("(originating from 'application.yml - 1:43')")
                .contains("There is no bean of that name and of type java.util.concurrent.Executor.");
        assertThat(analysis).contains("Set it to pool, or remove it for own threads.");

        String inherited = analyze("ordered-executor.executor: none");
        assertThat(inherited).contains("'ordered-executor.executor'").contains("Invalid value 'none'");
        assertThat(inherited).contains("Define one, or remove it");
    }

    @Test
    void anExecutorNameOfAnotherBeanIsRefused() {
        String analysis = analyze(
                contexts.withBean("payments", StringBuilder.class, StringBuilder::new),
                "ordered-executor.striped.payments.threads: 2");
        assertThat(analysis)
                .contains("'ordered-executor.striped.payments.threads'")
                .contains("(originating from 'application.yml - 1:44')")
                .contains(
                        "The executor name 'payments' conflicts with an existing bean of type java.lang.StringBuilder.")
                .contains("Rename one of the two.");
    }

    @Test
    void invalidSettingsOfGroupedExecutorsAreRefused() {
        String threads = analyze("ordered-executor.grouped.transfers.threads: 0");
        assertThat(threads)
                .contains("'ordered-executor.grouped.transfers.threads'")
                .contains("Invalid value '0'")
                .contains("(originating from 'application.yml - 1:45')")
                .contains("It must be a whole number, at least 1.");
        String setting = analyze("ordered-executor.grouped.transfers.window: true");
        assertThat(setting)
                .contains("'ordered-executor.grouped.transfers.window'")
                .contains("There is no such property.");
        assertThat(setting).contains("The settings of a grouped executor are key-capacity, failure-policy,");
        String forgottenName = analyze("ordered-executor.grouped.threads: 4");
        assertThat(forgottenName)
                .contains("'ordered-executor.grouped.threads'")
                .contains("It must have the name of an executor");
        assertThat(forgottenName)
                .contains("set 'ordered-executor.grouped.<name>.threads'")
                .contains("are key-capacity, failure-policy, threads, executor,");
        String noExecutor = analyze("ordered-executor.grouped.transfers.executor: none");
        assertThat(noExecutor)
                .contains("'ordered-executor.grouped.transfers.executor'")
                .contains("There is no bean of that name and of type java.util.concurrent.Executor.");
        String taken = analyze(
                contexts.withBean("transfers", StringBuilder.class, StringBuilder::new),
                "ordered-executor.grouped.transfers.threads: 2");
        assertThat(taken)
                .contains("'ordered-executor.grouped.transfers.threads'")
                .contains("'transfers' conflicts with an existing bean of type java.lang.StringBuilder");
    }

    @Test
    void anExecutorNameOfTwoKindsIsRefused() {
        String analysis = analyze("""
                ordered-executor:
                  striped:
                    bank:
                      threads: 1
                  grouped:
                    bank:
                      threads: 1
                """);
        assertThat(analysis)
                .contains("'ordered-executor.grouped.bank.threads'")
                .contains("(originating from 'application.yml - 7:16')")
                .contains("'bank' is also the name of a striped executor, 'ordered-executor.striped.bank'")
                .contains("Rename one of the two.");

        assertThat(analyze("ordered-executor.ordered-output.stripedExecutor.threads: 1"))
                .contains("'stripedExecutor'");
    }

    @Test
    void theDefaultExecutorHasItsSettingsDirectlyBelowThePrefix() {
        for (String name : new String[] {
            "striped.stripedExecutor",
            "striped.groupedExecutor",
            "striped.ordered-executor",
            "grouped.stripedExecutor",
            "grouped.groupedExecutor"
        }) {
            assertThat(analyze("ordered-executor." + name + ".threads: 1"))
                    .contains("'ordered-executor." + name + ".threads'")
                    .contains("is that of the default executor, whose settings are directly under 'ordered-executor',")
                    .contains("as in 'ordered-executor.threads'. Move them there, or choose another name.");
        }
    }

    @Test
    void messagesShowNamesInCamelCaseAndInBracketsAsTheyAreWritten() {
        String camelCase = analyze("ordered-executor.striped.payMents.retry.max-retries: -1");
        assertThat(camelCase)
                .contains("'ordered-executor.striped.payMents.retry.max-retries'")
                .contains("Invalid value '-1'")
                .contains("(originating from 'application.yml - 1:54')");
        String theDefault = analyze("ordered-executor.keyCapacity: 0");
        assertThat(theDefault)
                .contains("'ordered-executor.keyCapacity'")
                .contains("Invalid value '0'")
                .contains("(originating from 'application.yml - 1:31')");
        String inBrackets = analyze("ordered-executor.striped[a/B].threads: 0");
        assertThat(inBrackets)
                .contains("'ordered-executor.striped[a/B].threads'")
                .contains("Invalid value '0'");
    }

    @Test
    void switchesThatAreNeitherTrueNorFalseAreRefused() {
        String analysis = analyze("ordered-executor.enabled: maybe");
        assertThat(analysis)
                .contains("'ordered-executor.enabled'")
                .contains("Invalid value 'maybe'")
                .contains("(originating from 'application.yml - 1:27')")
                .contains("It must be true or false.");
        contexts.withPropertyValues("switch=FALSE", "ordered-executor.enabled=${switch}")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("stripedExecutor"));
    }

    @Test
    void anExecutorBeanOfAnotherTypeIsRefused() {
        String analysis = analyze(
                contexts.withBean("pool", String.class, () -> "a pool"),
                "ordered-executor.striped.orders.executor: pool");
        assertThat(analysis).contains("There is no bean of that name and of type java.util.concurrent.Executor.");
    }

    @Test
    void aBlankExecutorAndOneTogetherWithThreadsAreRefused() {
        assertThat(analyze("ordered-executor.striped.orders.executor: '  '"))
                .contains("'ordered-executor.striped.orders.executor'")
                .contains("It must be the name of a java.util.concurrent.Executor bean.");
        String both = analyze("""
                ordered-executor.striped.orders:
                  threads: 4
                  executor: pool
                """);
        assertThat(both)
                .contains("'ordered-executor.striped.orders.executor'")
                .contains("It excludes 'ordered-executor.striped.orders.threads'")
                .contains("Remove one of the two.");
    }

    @Test
    void capacitiesOutOfRangeAreRefused() {
        for (String setting : new String[] {
            "striped.orders.capacity",
            "striped.orders.key-capacity",
            "grouped.orders.capacity",
            "grouped.orders.key-capacity",
            "capacity",
            "key-capacity"
        }) {
            for (String value : new String[] {"0", "-1", "1000000001"}) {
                String analysis = analyze("ordered-executor." + setting + ": " + value);
                assertThat(analysis)
                        .contains("'ordered-executor." + setting + "'")
                        .contains("Invalid value '" + value + "'")
                        .contains("(originating from 'application.yml - 1:"
                                + ("ordered-executor.".length() + setting.length() + 3) + "')")
                        .contains("It must be a whole number from 1 to 1000000000. Remove it for no limit.");
            }
        }
    }

    @Test
    void unknownChoicesAreRefused() {
        String overflow = analyze("ordered-executor.striped.orders.overflow: drop");
        assertThat(overflow)
                .contains("'ordered-executor.striped.orders.overflow'")
                .contains("Invalid value 'drop'")
                .contains("(originating from 'application.yml - 1:43')");
        assertThat(overflow).contains("It must be reject, block or discard-oldest.");
        String failures = analyze("ordered-executor.failure-policy: retry");
        assertThat(failures).contains("'ordered-executor.failure-policy'");
        assertThat(failures)
                .contains("It must be proceed or park. Remove it for proceed.")
                .contains("To retry, set 'ordered-executor.retry.max-retries'.");
        assertThat(analyze("ordered-executor.striped.orders.failure-policy: retry"))
                .contains("To retry, set 'ordered-executor.striped.orders.retry.max-retries'.");
    }

    @Test
    void overflowsThatAreUnlimitedOrWithoutEffectAreRefused() {
        String noLimit = analyze("""
                ordered-executor.striped.orders:
                  capacity: 10
                  overflow: block
                """);
        assertThat(noLimit)
                .contains("'ordered-executor.striped.orders.overflow'")
                .contains("Invalid value 'block'")
                .contains("(originating from 'application.yml - 3:13')")
                .contains("It lets callers wait without a limit.")
                .contains("Set 'ordered-executor.striped.orders.overflow-timeout' to a duration such as 5s.");
        assertThat(analyze("ordered-executor.overflow: block")).contains("'ordered-executor.overflow'");

        String noWait = analyze("""
                ordered-executor.grouped.orders:
                  capacity: 10
                  overflow-timeout: 5s
                """);
        assertThat(noWait)
                .contains("'ordered-executor.grouped.orders.overflow-timeout'")
                .contains("Invalid value '5s'")
                .contains("(originating from 'application.yml - 3:21')")
                .contains("It has no effect, since calls do not wait.")
                .contains("Remove it, or set 'ordered-executor.grouped.orders.overflow' to block.");

        String noCapacity = analyze("ordered-executor.striped.orders.overflow: discard-oldest");
        assertThat(noCapacity)
                .contains("'ordered-executor.striped.orders.overflow'")
                .contains("It has no effect, since the executor has no capacity.");
        assertThat(noCapacity).contains("set 'ordered-executor.striped.orders.capacity'");

        assertThat(analyze("ordered-executor: { overflow: block, overflow-timeout: -5s }"))
                .contains("'ordered-executor.overflow-timeout'")
                .contains("It must be a duration of at least zero");
    }

    @Test
    void retriesThatAreInvalidOrWithoutEffectAreRefused() {
        String retries = analyze("ordered-executor.striped.orders.retry.max-retries: -1");
        assertThat(retries)
                .contains("'ordered-executor.striped.orders.retry.max-retries'")
                .contains("Invalid value '-1'")
                .contains("(originating from 'application.yml - 1:52')")
                .contains("It must be a whole number, at least 0. Remove it for no retries.");
        assertThat(analyze("ordered-executor.retry: { max-retries: 2, multiplier: 0.5 }"))
                .contains("'ordered-executor.retry.multiplier'")
                .contains("It must be a number, at least 1. Remove it for 1.");
        for (String setting : new String[] {"delay", "max-delay", "multiplier", "jitter"}) {
            String unused = analyze("ordered-executor.grouped.orders.retry." + setting + ": 1000");
            assertThat(unused)
                    .contains("'ordered-executor.grouped.orders.retry." + setting + "'")
                    .contains("It has no effect, since failed tasks are not retried.")
                    .contains("Remove it, or set 'ordered-executor.grouped.orders.retry.max-retries' to 1 or more.");
        }
        for (String setting : new String[] {"delay", "max-delay", "jitter"}) {
            assertThat(analyze("ordered-executor.retry: { max-retries: 2, " + setting + ": -1ms }"))
                    .contains("'ordered-executor.retry." + setting + "'")
                    .contains("It must be a duration of at least zero");
        }
    }

    /** The settings that a message lists are those that there are. */
    @Test
    void messagesListAllSettings() {
        assertThat(ExecutorSection.STRIPED.settings())
                .containsExactlyInAnyOrder(settingsOf(OrderedExecutorProperties.KeyedSettings.class))
                .isEqualTo(ExecutorSection.GROUPED.settings())
                .isSubsetOf(settingsOf(OrderedExecutorProperties.class));
        assertThat(ExecutorSection.ORDERED_OUTPUT.settings())
                .containsExactlyInAnyOrder(settingsOf(OrderedExecutorProperties.OrderedOutputSettings.class));
    }

    @Test
    void messagesKnowTheValuesOfAllSettings() {
        assertThat(settingsOf(Settings.class))
                .allSatisfy(setting -> assertThat(PropertyReference.expectationOf(
                                ConfigurationPropertyName.of("ordered-executor.ordered-output.frames." + setting)))
                        .startsWith("It must be "));
    }

    private static String[] settingsOf(Class<?> type) {
        return Stream.of(type.getRecordComponents())
                .flatMap(component -> {
                    String name = DataObjectPropertyName.toDashedForm(component.getName());
                    return component.getType().isRecord()
                            ? Stream.of(settingsOf(component.getType())).map(inner -> name + "." + inner)
                            : Stream.of(name);
                })
                .toArray(String[]::new);
    }

    @Test
    void executorNamesThatDifferInDashesOrCaseOnlyAreRefused() {
        String analysis = analyze("""
                ordered-executor:
                  striped:
                    order-events:
                      threads: 1
                    orderEvents:
                      threads: 3
                """);
        assertThat(analysis)
                .contains("The executor names 'order-events' and 'orderEvents' differ in dashes or case only")
                .contains("Rename one of the two.");
        // the same in another section is another executor
        contexts.withPropertyValues(
                        "ordered-executor.striped.order-events.threads=1",
                        "ordered-executor.grouped.orderEvents.threads=1")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void propertiesWithOtherPrefixesAreIgnored() {
        contexts.withPropertyValues("ordered-executors.thread=4", "other.threads=0")
                .withSystemProperties("ordered-executor.home=/opt")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private String analyze(String yaml) {
        return analyze(contexts, yaml);
    }

    private static String analyze(ApplicationContextRunner contexts, String yaml) {
        return StartUpFailures.reportOf(StartUpFailures.withYaml(contexts, yaml));
    }
}
