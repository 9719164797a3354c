package io.orderedexecutor.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class UnfinishedCallsTest {

    @SuppressWarnings("unused")
    private static void transfer(String from, String to) {}

    @Test
    void manyUnfinishedCallsAreOneLineForEachMethod(CapturedOutput output) throws Exception {
        Method method = UnfinishedCallsTest.class.getDeclaredMethod("transfer", String.class, String.class);
        List<Runnable> tasks = Collections.nCopies(400_000, call(method, List.of("alice", "bob")));

        new UnfinishedCalls().handle("ordered-executor", tasks);

        assertThat(output.getOut().lines().filter(line -> line.contains("Not processed")))
                .singleElement()
                .asString()
                .endsWith("Not processed: 400000 calls of 'transfer'");
    }

    private static OrderedAsyncCall call(Method method, List<Object> arguments) {
        return new OrderedAsyncCall() {
            @Override
            public Method method() {
                return method;
            }

            @Override
            public List<Object> arguments() {
                return arguments;
            }

            @Override
            public void run() {
                throw new AssertionError("not to be run");
            }
        };
    }
}
