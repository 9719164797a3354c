package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;

/** Wrong values fail the start, and the message names the property, the value, where it is, and the mend. */
class InvalidPropertiesTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void threadsBelowOne() {
        FailureAnalysis analysis = analyze("""
                ordered-executor:
                  striped:
                    orders:
                      threads: 0
                """);
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.orders.threads")
                .contains("Value: \"0\"")
                .contains("Origin: application.yml - 4:16")
                .contains("Reason: must be at least 1");
        assertThat(analysis.getAction()).contains("Set it to a number of threads, or remove it");
    }

    @Test
    void nonsenseInTheDefaults() {
        FailureAnalysis analysis = analyze("ordered-executor.defaults.threads: -1");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.defaults.threads")
                .contains("Value: \"-1\"")
                .contains("Origin: application.yml - 1:36");
    }

    @Test
    void turnsOfNothing() {
        FailureAnalysis time = analyze("ordered-executor.striped.orders.turn.time: -1ms");
        assertThat(time.getDescription())
                .contains("Property: ordered-executor.striped.orders.turn.time")
                .contains("Value: \"-1ms\"")
                .contains("must be more than zero");
        assertThat(time.getAction()).contains("a duration such as 1ms");

        FailureAnalysis tasks = analyze("ordered-executor.striped.orders.turn.tasks: 0");
        assertThat(tasks.getDescription())
                .contains("Property: ordered-executor.striped.orders.turn.tasks")
                .contains("must be at least 1");
        assertThat(tasks.getAction()).contains("Set it to a number of tasks");
    }

    @Test
    void valuesOfAnotherType() {
        FailureAnalysis duration = analyze("ordered-executor.striped.orders.turn.time: soon");
        assertThat(duration.getDescription())
                .contains("Property: ordered-executor.striped.orders.turn.time")
                .contains("Value: \"soon\"")
                .contains("Origin: application.yml - 1:44")
                .contains("is no valid value");
        assertThat(duration.getAction()).isEqualTo("Set it to a duration such as 500us, 1ms or 2s.");

        FailureAnalysis number = analyze("ordered-executor.striped.orders.threads: many");
        assertThat(number.getDescription()).contains("Value: \"many\"");
        assertThat(number.getAction()).isEqualTo("Set it to a whole number, at least 1.");

        FailureAnalysis flag = analyze("ordered-executor.striped.orders.identity-stripes: perhaps");
        assertThat(flag.getDescription()).contains("Value: \"perhaps\"");
        assertThat(flag.getAction()).isEqualTo("Set it to true or false.");
    }

    @Test
    void unknownKeys() {
        FailureAnalysis setting = analyze("ordered-executor.striped.orders.thread: 4");
        assertThat(setting.getDescription())
                .contains("Property: ordered-executor.striped.orders.thread")
                .contains("Value: \"4\"")
                .contains("Origin: application.yml - 1:41")
                .contains("Reason: is unknown");
        assertThat(setting.getAction())
                .contains(
                        "The settings of a striped executor are identity-stripes, stripe-capacity, threads, executor,")
                .contains("retry.attempts, retry.backoff and retry.ceiling;")
                .contains("correct the name");

        FailureAnalysis section = analyze("ordered-executor.default.threads: 4");
        assertThat(section.getDescription()).contains("Property: ordered-executor.default.threads");
        assertThat(section.getAction())
                .contains("defaults.*")
                .contains("striped.<name>.*")
                .contains("grouped.<name>.*");
    }

    @Test
    void aForgottenName() {
        FailureAnalysis analysis = analyze("ordered-executor.striped.threads: 4");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.threads")
                .contains("Value: \"4\"");
        assertThat(analysis.getAction()).contains("ordered-executor.striped.<name>.<setting>");
    }

    @Test
    void aBlankName() {
        FailureAnalysis analysis = analyze("""
                ordered-executor:
                  striped:
                    "[ ]":
                      threads: 4
                """);
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped[ ]")
                .contains("blank name");
        assertThat(analysis.getAction()).isEqualTo("Give the executor a name.");
    }

    @Test
    void anExecutorThatIsNoBean() {
        Executor pool = Runnable::run;
        FailureAnalysis analysis = analyze(
                contexts.withBean("pool", Executor.class, () -> pool),
                "ordered-executor.striped.orders.executor: poool");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.orders.executor")
                .contains("Value: \"poool\"")
                .contains("Origin: application.yml - 1:43")
                .contains("names no bean of type java.util.concurrent.Executor");
        assertThat(analysis.getAction()).contains("one of pool,").contains("or remove it");

        FailureAnalysis inherited = analyze("ordered-executor.defaults.executor: none");
        assertThat(inherited.getDescription())
                .contains("Property: ordered-executor.defaults.executor")
                .contains("Value: \"none\"");
        assertThat(inherited.getAction()).contains("Define an Executor bean of that name");
    }

    @Test
    void aNameThatIsTakenByAnotherBean() {
        FailureAnalysis analysis = analyze(
                contexts.withBean("payments", StringBuilder.class, StringBuilder::new),
                "ordered-executor.striped.payments.threads: 2");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.striped.payments")
                .contains("Origin: application.yml - 1:44 (ordered-executor.striped.payments.threads)")
                .contains("the name is taken by a bean of type java.lang.StringBuilder");
        assertThat(analysis.getAction()).contains("Rename one of the two");
    }

    @Test
    void groupedExecutors() {
        FailureAnalysis threads = analyze("ordered-executor.grouped.transfers.threads: 0");
        assertThat(threads.getDescription())
                .contains("Property: ordered-executor.grouped.transfers.threads")
                .contains("Value: \"0\"")
                .contains("Origin: application.yml - 1:45")
                .contains("Reason: must be at least 1");
        FailureAnalysis setting = analyze("ordered-executor.grouped.transfers.identity-stripes: true");
        assertThat(setting.getDescription())
                .contains("Property: ordered-executor.grouped.transfers.identity-stripes")
                .contains("Reason: is unknown");
        assertThat(setting.getAction())
                .contains("The settings of a grouped executor are group-capacity, threads, executor,");
        FailureAnalysis forgottenName = analyze("ordered-executor.grouped.threads: 4");
        assertThat(forgottenName.getDescription())
                .contains("Property: ordered-executor.grouped.threads")
                .contains("is a value where the settings of an executor are expected");
        assertThat(forgottenName.getAction())
                .contains("set ordered-executor.grouped.<name>.<setting>")
                .contains("are group-capacity, threads, executor,");
        FailureAnalysis noExecutor = analyze("ordered-executor.grouped.transfers.executor: none");
        assertThat(noExecutor.getDescription())
                .contains("Property: ordered-executor.grouped.transfers.executor")
                .contains("names no bean of type java.util.concurrent.Executor");
        FailureAnalysis taken = analyze(
                contexts.withBean("transfers", StringBuilder.class, StringBuilder::new),
                "ordered-executor.grouped.transfers.threads: 2");
        assertThat(taken.getDescription())
                .contains("Property: ordered-executor.grouped.transfers")
                .contains("the name is taken by a bean of type java.lang.StringBuilder");
    }

    @Test
    void aNameThatIsGivenToBothKinds() {
        FailureAnalysis analysis = analyze("""
                ordered-executor:
                  striped:
                    bank:
                      threads: 1
                  grouped:
                    bank:
                      threads: 1
                """);
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.grouped.bank")
                .contains("Origin: application.yml - 7:16 (ordered-executor.grouped.bank.threads)")
                .doesNotContain("Value:")
                .contains("has the name of a striped executor, 'ordered-executor.striped.bank'");
        assertThat(analysis.getAction()).isEqualTo("Rename one of the two.");

        assertThat(analyze("ordered-executor.striped.groupedExecutor.threads: 1")
                        .getDescription())
                .contains("Property: ordered-executor.striped.groupedExecutor")
                .contains("the name is taken by a bean of type io.orderedexecutor.GroupedExecutor");
        assertThat(analyze("ordered-executor.grouped.stripedExecutor.threads: 1")
                        .getDescription())
                .contains("Property: ordered-executor.grouped.stripedExecutor")
                .contains("the name is taken by a bean of type io.orderedexecutor.StripedExecutor");
    }

    @Test
    void namesInCamelCaseAndNamesInBrackets() {
        FailureAnalysis camelCase = analyze("ordered-executor.striped.payMents.turn.tasks: -1");
        assertThat(camelCase.getDescription())
                .contains("Property: ordered-executor.striped.payMents.turn.tasks")
                .contains("Value: \"-1\"")
                .contains("Origin: application.yml - 1:47");
        FailureAnalysis theDefault = analyze("ordered-executor.striped.stripedExecutor.threads: 0");
        assertThat(theDefault.getDescription()).contains("Value: \"0\"").contains("Origin: application.yml - 1:51");
        FailureAnalysis inBrackets = analyze("ordered-executor.striped[a/B].threads: 0");
        assertThat(inBrackets.getDescription())
                .contains("Property: ordered-executor.striped[a/B].threads")
                .contains("Value: \"0\"");
    }

    @Test
    void aSwitchThatIsNeitherOnNorOff() {
        FailureAnalysis analysis = analyze("ordered-executor.enabled: maybe");
        assertThat(analysis.getDescription())
                .contains("Property: ordered-executor.enabled")
                .contains("Value: \"maybe\"")
                .contains("Origin: application.yml - 1:27")
                .contains("Reason: is neither true nor false");
        assertThat(analysis.getAction()).isEqualTo("Set it to true or false, or remove it for true.");
        contexts.withPropertyValues("switch=FALSE", "ordered-executor.enabled=${switch}")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("stripedExecutor"));
    }

    @Test
    void anExecutorOfAnotherType() {
        FailureAnalysis analysis = analyze(
                contexts.withBean("pool", String.class, () -> "a pool"),
                "ordered-executor.striped.orders.executor: pool");
        assertThat(analysis.getDescription()).contains("names no bean of type java.util.concurrent.Executor");
    }

    @Test
    void aBlankExecutorAndAnExecutorBesideThreads() {
        assertThat(analyze("ordered-executor.striped.orders.executor: '  '").getDescription())
                .contains("Property: ordered-executor.striped.orders.executor")
                .contains("is blank");
        FailureAnalysis both = analyze("""
                ordered-executor.striped.orders:
                  threads: 4
                  executor: pool
                """);
        assertThat(both.getDescription())
                .contains("Property: ordered-executor.striped.orders.executor")
                .contains("excludes 'ordered-executor.striped.orders.threads'");
        assertThat(both.getAction()).isEqualTo("Remove one of the two.");
    }

    @Test
    void capacitiesOutOfRange() {
        for (String setting : new String[] {
            "striped.orders.capacity",
            "striped.orders.stripe-capacity",
            "grouped.orders.capacity",
            "grouped.orders.group-capacity",
            "defaults.capacity",
            "defaults.stripe-capacity",
            "defaults.group-capacity"
        }) {
            for (String value : new String[] {"0", "-1", "1000000001"}) {
                FailureAnalysis analysis = analyze("ordered-executor." + setting + ": " + value);
                assertThat(analysis.getDescription())
                        .contains("Property: ordered-executor." + setting)
                        .contains("Value: \"" + value + "\"")
                        .contains(
                                "Origin: application.yml - 1:" + ("ordered-executor.".length() + setting.length() + 3))
                        .contains("Reason: must be from 1 to 1000000000");
                assertThat(analysis.getAction())
                        .isEqualTo("Set it to how many tasks may wait, or remove it for no limit.");
            }
        }
    }

    @Test
    void capacitiesOfTheOtherKind() {
        assertThat(analyze("ordered-executor.striped.orders.group-capacity: 1").getDescription())
                .contains("Property: ordered-executor.striped.orders.group-capacity")
                .contains("is unknown");
        assertThat(analyze("ordered-executor.grouped.orders.stripe-capacity: 1").getDescription())
                .contains("Property: ordered-executor.grouped.orders.stripe-capacity")
                .contains("is unknown");
    }

    @Test
    void choicesThatThereAreNot() {
        FailureAnalysis overflow = analyze("ordered-executor.striped.orders.overflow: drop");
        assertThat(overflow.getDescription())
                .contains("Property: ordered-executor.striped.orders.overflow")
                .contains("Value: \"drop\"")
                .contains("Origin: application.yml - 1:43");
        assertThat(overflow.getAction()).isEqualTo("Set it to one of reject, block, discard-oldest.");
        FailureAnalysis failures = analyze("ordered-executor.defaults.failure-policy: retry");
        assertThat(failures.getDescription()).contains("Property: ordered-executor.defaults.failure-policy");
        assertThat(failures.getAction()).isEqualTo("Set it to one of proceed, park.");
    }

    @Test
    void overflowsThatCannotBe() {
        FailureAnalysis noLimit = analyze("""
                ordered-executor.striped.orders:
                  capacity: 10
                  overflow: block
                """);
        assertThat(noLimit.getDescription())
                .contains("Property: ordered-executor.striped.orders.overflow\n")
                .contains("Value: \"block\"")
                .contains("Origin: application.yml - 3:13")
                .contains("there is no limit to how long");
        assertThat(noLimit.getAction())
                .isEqualTo("Set 'ordered-executor.striped.orders.overflow-timeout' to a duration such as 5s.");
        assertThat(analyze("ordered-executor.defaults.overflow: block").getDescription())
                .contains("Property: ordered-executor.defaults.overflow\n");

        FailureAnalysis noWait = analyze("""
                ordered-executor.grouped.orders:
                  capacity: 10
                  overflow-timeout: 5s
                """);
        assertThat(noWait.getDescription())
                .contains("Property: ordered-executor.grouped.orders.overflow-timeout")
                .contains("Value: \"5s\"")
                .contains("Origin: application.yml - 3:21")
                .contains("has no effect, since no caller waits for room");
        assertThat(noWait.getAction())
                .isEqualTo("Set 'ordered-executor.grouped.orders.overflow' to block, or remove it.");

        FailureAnalysis noCapacity = analyze("ordered-executor.striped.orders.overflow: discard-oldest");
        assertThat(noCapacity.getDescription())
                .contains("Property: ordered-executor.striped.orders.overflow")
                .contains("has no effect, since the executor has no capacity");
        assertThat(noCapacity.getAction()).contains("Set 'ordered-executor.striped.orders.capacity'");

        assertThat(analyze("ordered-executor.defaults: { overflow: block, overflow-timeout: -5s }")
                        .getDescription())
                .contains("Property: ordered-executor.defaults.overflow-timeout")
                .contains("must not be negative");
    }

    @Test
    void retriesThatCannotBe() {
        FailureAnalysis attempts = analyze("ordered-executor.striped.orders.retry.attempts: 0");
        assertThat(attempts.getDescription())
                .contains("Property: ordered-executor.striped.orders.retry.attempts")
                .contains("Value: \"0\"")
                .contains("Origin: application.yml - 1:49")
                .contains("must be at least 1");
        assertThat(attempts.getAction()).contains("the first time included");
        for (String setting : new String[] {"backoff", "ceiling"}) {
            FailureAnalysis unused = analyze("ordered-executor.grouped.orders.retry." + setting + ": 1s");
            assertThat(unused.getDescription())
                    .contains("Property: ordered-executor.grouped.orders.retry." + setting)
                    .contains("has no effect, since a task that fails is not run again");
            assertThat(unused.getAction())
                    .isEqualTo("Set 'ordered-executor.grouped.orders.retry.attempts' to 2 or more, or remove it.");
            assertThat(analyze("ordered-executor.defaults.retry: { attempts: 2, " + setting + ": -1ms }")
                            .getDescription())
                    .contains("Property: ordered-executor.defaults.retry." + setting)
                    .contains("must not be negative");
        }
    }

    /** The settings that a message lists are those that there are. */
    @Test
    void messagesListAllSettings() {
        assertThat(ExecutorSection.STRIPED.settings().split(", | and "))
                .containsExactlyInAnyOrder(settingsOf(OrderedExecutorProperties.StripedSettings.class));
        assertThat(ExecutorSection.GROUPED.settings().split(", | and "))
                .containsExactlyInAnyOrder(settingsOf(OrderedExecutorProperties.GroupedSettings.class));
        assertThat(ExecutorSection.settingsOfDefaults().split(", | and "))
                .containsExactlyInAnyOrder(settingsOf(Settings.class));
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
    void propertiesOfOthersAndTheSystemAreNoneOfOurBusiness() {
        contexts.withPropertyValues("ordered-executors.thread=4", "other.threads=0")
                .withSystemProperties("ordered-executor.home=/opt")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private FailureAnalysis analyze(String yaml) {
        return analyze(contexts, yaml);
    }

    private static FailureAnalysis analyze(ApplicationContextRunner contexts, String yaml) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        contexts.withInitializer(context -> {
                    ByteArrayResource file =
                            new ByteArrayResource(yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
                                @Override
                                public String getDescription() {
                                    return "application.yml";
                                }
                            };
                    try {
                        new YamlPropertySourceLoader()
                                .load("application.yml", file)
                                .forEach(context.getEnvironment().getPropertySources()::addFirst);
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                })
                .run(context -> {
                    assertThat(context).hasFailed();
                    analysis[0] = new OrderedExecutorPropertyFailureAnalyzer().analyze(context.getStartupFailure());
                });
        assertThat(analysis[0]).as("the analysis").isNotNull();
        return analysis[0];
    }
}
