package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.StartUpFailures;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What environment variables set, and which of them fail the start. */
class EnvironmentVariablesTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OrderedExecutorAutoConfiguration.class));

    @Test
    void anUnderscoreMayBeADashOfASetting() {
        withVariables(Map.of(
                        "ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY", "7",
                        "ORDEREDEXECUTOR_KEY_CAPACITY", "6",
                        "ORDERED_EXECUTOR_GROUPED_TRANSFERS_CAPACITY", "8",
                        "ORDERED_EXECUTOR_ORDERED_OUTPUT_FRAMES_RETRY_MAX_RETRIES", "2"))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasBean("orders")
                            .hasBean("transfers")
                            .hasBean("frames");
                    assertThat(settings(context, "orders").keyCapacity()).isEqualTo(7);
                    assertThat(settings(context, "transfers").capacity()).isEqualTo(8);
                    assertThat(settings(context, "groupedExecutor").keyCapacity())
                            .isEqualTo(6);
                    assertThat(settings(context, "frames").failurePolicy())
                            .isInstanceOfSatisfying(
                                    FailurePolicy.Retry.class,
                                    retry -> assertThat(retry.maxRetries()).isEqualTo(2));
                });
    }

    @Test
    void anUnderscoreMayBeADashOfAnExecutorThatIsConfiguredElsewhere() {
        withVariables(Map.of(
                        "ORDEREDEXECUTOR_STRIPED_ORDER_EVENTS_KEY_CAPACITY", "7",
                        "ORDEREDEXECUTOR_STRIPED_SERVICE_PORT_KEY_CAPACITY", "8"))
                .withPropertyValues(
                        "ordered-executor.striped.order-events.threads=1",
                        "ordered-executor.striped.service-port.threads=1")
                .run(context -> {
                    assertThat(context.getBeanNamesForType(StripedExecutor.class))
                            .containsExactlyInAnyOrder("stripedExecutor", "order-events", "service-port");
                    assertThat(settings(context, "order-events").keyCapacity()).isEqualTo(7);
                    assertThat(settings(context, "service-port").keyCapacity()).isEqualTo(8);
                });
    }

    @Test
    void elementsOfLists() {
        withVariables(Map.of(
                        "ORDEREDEXECUTOR_STRIPED_ORDERS_RETRY_MAX_RETRIES", "2",
                        "ORDEREDEXECUTOR_STRIPED_ORDERS_RETRY_EXCLUDES_0", "java.io.IOException",
                        "ORDERED_EXECUTOR_STRIPED_ORDERS_RETRY_EXCLUDES_1", "java.lang.SecurityException"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(settings(context, "orders").failurePolicy())
                            .isInstanceOfSatisfying(
                                    FailurePolicy.Retry.class,
                                    retry -> assertThat(retry.excludes())
                                            .containsExactlyInAnyOrder(IOException.class, SecurityException.class));
                });
    }

    /** It might name an executor 'orders', too, if there were none that it fits. */
    @Test
    void anExecutorThatIsConfiguredElsewhereComesBeforeANewOne() {
        withVariables(Map.of("ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY", "7"))
                .withPropertyValues("ordered-executor.striped.orders-key.threads=1")
                .run(context -> {
                    assertThat(context.getBeanNamesForType(StripedExecutor.class))
                            .containsExactlyInAnyOrder("stripedExecutor", "orders-key");
                    assertThat(settings(context, "orders-key").capacity()).isEqualTo(7);
                });
    }

    @Test
    void aVariableIsOfTheExecutorThatIsAlwaysThere() {
        withVariables(Map.of("ORDEREDEXECUTOR_THREADS", "3")).run(context -> {
            assertThat(context.getBeanNamesForType(StripedExecutor.class)).containsExactly("stripedExecutor");
            assertThat(settings(context, "stripedExecutor").threads()).isEqualTo(3);
        });
    }

    @Test
    void aVariableComesBeforeAFileAndAfterTheCommandLine() {
        ApplicationContextRunner both = StartUpFailures.withYaml(
                contexts, "ordered-executor.striped: { file: { key-capacity: 1 }, line: { key-capacity: 1 } }");
        StartUpFailures.withVariables(
                        both.withSystemProperties("ordered-executor.striped.line.key-capacity=3")
                                .withInitializer(context -> {
                                    // below the variables, as files are in an application
                                    var sources = context.getEnvironment().getPropertySources();
                                    sources.addLast(sources.remove("application.yml"));
                                }),
                        Map.of(
                                "ORDEREDEXECUTOR_STRIPED_FILE_KEY_CAPACITY", "2",
                                "ORDEREDEXECUTOR_STRIPED_LINE_KEY_CAPACITY", "2"))
                .run(context -> {
                    assertThat(settings(context, "file").keyCapacity()).isEqualTo(2);
                    assertThat(settings(context, "line").keyCapacity()).isEqualTo(3);
                });
    }

    @Test
    void unknownVariablesFailTheStart() {
        assertThat(report(Map.of("ORDEREDEXECUTOR_STRIPED_ORDERS_STRIPECAPACITTY", "7")))
                .contains("ORDEREDEXECUTOR_STRIPED_ORDERS_STRIPECAPACITTY", "'7'")
                .contains("There is no such property.")
                .contains("The settings of a striped executor are key-capacity,");
        assertThat(report(Map.of("ORDEREDEXECUTOR_STRIPPED_ORDERS_CAPACITY", "7")))
                .contains("ORDEREDEXECUTOR_STRIPPED_ORDERS_CAPACITY")
                .contains("striped.<name>.*");
        assertThat(report(Map.of("ORDERED_EXECUTOR_STRIPED_ORDER_EVENTS_CAPACITY", "7")))
                .contains("ORDERED_EXECUTOR_STRIPED_ORDER_EVENTS_CAPACITY")
                .contains("There is no striped executor that 'ORDER_EVENTS' can stand for")
                .contains("ordered-executor.striped.order-events");
        assertThat(report(Map.of("ORDEREDEXECUTOR_KAFKA_THREADS", "7")))
                .contains("ORDEREDEXECUTOR_KAFKA_THREADS")
                .contains("Add the dependency io.orderedexecutor:ordered-executor-kafka");
    }

    @Test
    void ambiguousVariablesFailTheStart() {
        ApplicationContextRunner two = contexts.withPropertyValues(
                "ordered-executor.striped.orders.threads=1", "ordered-executor.striped.orders-key.threads=1");
        assertThat(StartUpFailures.reportOf(
                        StartUpFailures.withVariables(two, Map.of("ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY", "7"))))
                .contains("ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY")
                .contains("ordered-executor.striped.orders.key-capacity")
                .contains("ordered-executor.striped.orders-key.capacity");
        StartUpFailures.withVariables(two, Map.of("ORDEREDEXECUTOR_STRIPED_ORDERSKEY_CAPACITY", "7"))
                .run(context ->
                        assertThat(settings(context, "orders-key").capacity()).isEqualTo(7));
    }

    /** A variable cannot say whether its name has a dash. */
    @Test
    void aVariableThatFitsTwoConfiguredNamesFailsTheStart() {
        ApplicationContextRunner two = contexts.withPropertyValues(
                "ordered-executor.striped.order-events.threads=1", "ordered-executor.striped.orderevents.threads=1");
        assertThat(StartUpFailures.reportOf(StartUpFailures.withVariables(
                        two, Map.of("ORDEREDEXECUTOR_STRIPED_ORDEREVENTS_CAPACITY", "7"))))
                .contains("ORDEREDEXECUTOR_STRIPED_ORDEREVENTS_CAPACITY", "'7'")
                .contains("It can mean")
                .contains("ordered-executor.striped.order-events.capacity")
                .contains("ordered-executor.striped.orderevents.capacity")
                .contains("Rename one of the executors");
    }

    @Test
    void aWrongValueIsShownWithItsVariable() {
        assertThat(report(Map.of("ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY", "none")))
                .contains("Invalid value 'none'")
                .contains("'ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY'")
                .contains("System Environment Property")
                .contains("It must be a whole number from 1 to 1000000000.");
        assertThat(report(Map.of("ORDEREDEXECUTOR_STRIPED_ORDERS_THREADS", "0")))
                .contains("Invalid value '0'")
                .contains("'ORDEREDEXECUTOR_STRIPED_ORDERS_THREADS'");
    }

    @Test
    void theSpellingWithoutUnderscoresComesBeforeTheOther() {
        withVariables(Map.of(
                        "ORDEREDEXECUTOR_STRIPED_ORDERS_KEYCAPACITY", "7",
                        "ORDEREDEXECUTOR_STRIPED_ORDERS_KEY_CAPACITY", "8"))
                .run(context ->
                        assertThat(settings(context, "orders").keyCapacity()).isEqualTo(7));
    }

    /** Kubernetes sets them for every service of the namespace, and a name may begin with that of the library. */
    @Test
    void variablesOfKubernetesServicesAndOthersAreIgnored() {
        withVariables(Map.of(
                        "ORDERED_EXECUTOR_SERVICE_HOST", "10.0.0.1",
                        "ORDERED_EXECUTOR_SERVICE_PORT", "80",
                        "ORDERED_EXECUTOR_SERVICE_PORT_HTTP", "80",
                        "ORDERED_EXECUTOR_SAMPLE_SERVICE_HOST", "10.0.0.1",
                        "ORDERED_EXECUTOR_SAMPLE_PORT_8080_TCP_ADDR", "10.0.0.1",
                        "ORDERED_EXECUTOR_PORT", "tcp://10.0.0.1:80",
                        "ORDEREDEXECUTOR_PORT_80_TCP_ADDR", "10.0.0.1",
                        "ORDERED_EXECUTORS_HOME", "/opt"))
                .run(context -> assertThat(context).hasNotFailed());
        withVariables(Map.of("ORDEREDEXECUTOR_HOME", "/opt", "ORDEREDEXECUTOR_ENABLED", "false"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("stripedExecutor"));
    }

    private ApplicationContextRunner withVariables(Map<String, Object> variables) {
        return StartUpFailures.withVariables(contexts, variables);
    }

    private String report(Map<String, Object> variables) {
        return StartUpFailures.reportOf(withVariables(variables));
    }

    private static OrderedExecutorSettings settings(ApplicationContext context, String name) {
        return context.getBean(name, OrderedExecutor.class).inspect().settings();
    }
}
