package io.orderedexecutor.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

/** A test of the started application with a {@link HeldCounter}, and room for what it posts. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"sample.pending-coins=10000000", "sample.kept-events=1000"})
@Import(SampleTest.Counters.class)
@interface SampleTest {

    @TestConfiguration
    class Counters {
        @Bean
        @Primary
        HeldCounter heldCounter() {
            return new HeldCounter();
        }
    }
}
