package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much a user has to read of what all of them use. Raising a limit is a decision. */
class NumberOfMethodsTest {

    @ParameterizedTest
    @CsvSource({
        "io.orderedexecutor.StripedExecutor, 20",
        "io.orderedexecutor.GroupedExecutor, 22",
        "io.orderedexecutor.ExecutorControl, 15",
        "io.orderedexecutor.ExecutorInspection, 16"
    })
    void publicMethodsOfAnInstance(Class<?> type, int most) {
        List<String> methods = Stream.of(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isBridge())
                .filter(method -> !isOfObject(method))
                .map(NumberOfMethodsTest::signature)
                .sorted()
                .toList();
        assertThat(methods).isNotEmpty();
        assertThat(methods.size())
                .as(() -> "methods of " + type.getSimpleName() + ":\n" + String.join("\n", methods) + "\nTheir number")
                .isLessThanOrEqualTo(most);
    }

    /** Also if it is overridden. */
    private static boolean isOfObject(Method method) {
        return Stream.of(Object.class.getMethods())
                .anyMatch(ofObject -> ofObject.getName().equals(method.getName())
                        && Arrays.equals(ofObject.getParameterTypes(), method.getParameterTypes()));
    }

    private static String signature(Method method) {
        return method.getName()
                + Stream.of(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
