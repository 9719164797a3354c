package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Holds the examples of the endpoint in docs/reference.md to their word: each command is sent, in its order, to an
 * application in the state that the page describes, and the answer is the one that the page shows, but for ages.
 */
class EndpointExamplesTest {
    private static final Pattern EXAMPLE = Pattern.compile(
            "^```sh\n(?<command>curl [^\n]*\n)```\n(?:```json\n(?<answer>.*?)^```$)?",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMAND =
            Pattern.compile("curl (?:-H 'Content-Type: application/json' -d '(?<body>[^']+)' )?"
                    + "'?localhost:8080/actuator/(?<path>[^'\\s]+)'?\\s*");
    private static final Pattern AGE = Pattern.compile("(\"(?:age|oldestQueuedAge)\": ?)\"PT[0-9.MH]+S\"");
    private static final BasicJsonTester JSON = new BasicJsonTester(EndpointExamplesTest.class);

    @Test
    void eachCommandGetsTheAnswerThatIsShown() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "reference.md"));
        List<MatchResult> examples = EXAMPLE.matcher(page).results().toList();
        examples = examples.stream()
                .filter(example -> example.group(1).contains("/orderedexecutors"))
                .toList();
        assertThat(examples).hasSize(4);
        assertThat(examples).filteredOn(example -> example.group(2) != null).hasSize(2);
        try (HttpEndpoint endpoint = HttpEndpoint.start(
                Orders.class,
                "--management.endpoint.orderedexecutors.access=unrestricted",
                "--management.endpoint.orderedexecutors.show-values=always")) {
            for (MatchResult example : examples) {
                HttpResponse<String> response = send(endpoint, example.group(1));
                String answer = response.body();
                assertThat(response.statusCode())
                        .as("%s gives %s", example.group(1), answer)
                        .isEqualTo(200);
                if (example.group(2) == null) {
                    continue; // the page does not show the answer
                }
                assertThat(JSON.from(withoutAges(answer)))
                        .as("%s gives %s", example.group(1), answer)
                        .isStrictlyEqualToJson(withoutAges(example.group(2)));
            }
        } finally {
            Orders.END.countDown();
        }
    }

    private static HttpResponse<String> send(HttpEndpoint endpoint, String command)
            throws IOException, InterruptedException {
        Matcher parts = COMMAND.matcher(command);
        assertThat(parts.matches()).as("this test understands %s", command).isTrue();
        return parts.group("body") == null
                ? endpoint.get(parts.group("path"))
                : endpoint.post(parts.group("path"), parts.group("body"));
    }

    /** Which of the two threads it is depends on which one had time first. */
    private static String withoutAges(String json) {
        return AGE.matcher(json)
                .replaceAll("$1\"some\"")
                .replaceAll(" for [0-9.]+ m?s", " for some time")
                .replace("orders-2", "orders-1");
    }

    private record Booking(String order, Runnable work) implements Runnable {
        @Override
        public void run() {
            work.run();
        }

        @Override
        public String toString() {
            return "book " + order;
        }
    }

    /** What the page says: alice is parked with a task behind, and a task of bob runs. */
    @Configuration(proxyBeanMethods = false)
    static class Orders {
        static final CountDownLatch END = new CountDownLatch(1);

        @Bean(destroyMethod = "shutdownNow")
        StripedExecutor orders() throws InterruptedException {
            StripedExecutor orders = StripedExecutor.builder()
                    .name("orders")
                    .threads(2)
                    .capacity(1000)
                    .failurePolicy(FailurePolicy.park())
                    .listener(new TaskListener() {})
                    .build();
            orders.execute("alice", new Booking("order 1", () -> {
                throw new IllegalStateException("The account of alice is closed");
            }));
            orders.execute("alice", new Booking("order 2", () -> {}));
            await().until(() -> orders.inspect().parkedTasks().size() == 1);
            CountDownLatch started = new CountDownLatch(1);
            orders.execute("bob", new Booking("order 3", () -> {
                started.countDown();
                awaitEnd();
            }));
            started.await();
            return orders;
        }

        private static void awaitEnd() {
            try {
                END.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
