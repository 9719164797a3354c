package io.orderedexecutor.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs many times, each time with another schedule of its threads and ordered executors. The method takes a
 * {@link Simulation}.
 *
 * <pre>{@code
 * @SimulationTest
 * void noBookingIsLost(Simulation simulation) {
 *     StripedExecutor executor = simulation.striped("accounts").build();
 *     Accounts accounts = new Accounts(executor);
 *     simulation.thread("first", () -> accounts.book("alice", 1));
 *     simulation.thread("second", () -> accounts.book("alice", 1));
 *     simulation.run();
 *     assertThat(accounts.balance("alice")).isEqualTo(2);
 * }
 * }</pre>
 *
 * <p>Each run has its own instance of the test class. The {@code @BeforeEach} and {@code @AfterEach} methods are part
 * of the simulation. If the constructor leaves a field null, 0 or false, the field gets the value that it has in
 * JUnit's instance, where an extension may have set it. The method runs on a thread of its own, so it sees no
 * transaction that is bound to the thread of the test.
 *
 * <p>In a Spring test, the method fails if no run submits anything to an ordered executor: the context lacks the
 * auto-configuration, or the calls bypass the proxies of the beans.
 *
 * <p>A failure prints the shortest schedule that still fails, and the seed that repeats it.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(SimulationExtension.class)
public @interface SimulationTest {

    /**
     * The number of schedules to try; with the exhaustive strategy, the maximum number.
     *
     * @return at least 1
     */
    int runs() default 1000;

    /**
     * The source of the schedules: a whole number, or the seed that a failed simulation has printed, to repeat only
     * that run.
     *
     * @return the seed; empty for the system property {@value SimulationRunner#SEED}, and without this property, a
     *     number that is derived from the name of the test
     */
    String seed() default "";

    /**
     * How schedules are chosen.
     *
     * @return the strategy
     */
    Strategy strategy() default Strategy.RANDOM;

    /**
     * The maximum number of preemptions in each run, with the exhaustive strategy. A preemption is a point at which the
     * current thread could go on, but another one does.
     *
     * @return at least 0
     */
    int preemptions() default 2;

    /**
     * The faults that may occur, from the beginning of each run.
     *
     * @return none by default
     */
    Fault[] faults() default {};

    /**
     * The real time in seconds after which a thread without progress counts as blocked.
     *
     * @return at least 1
     */
    int blockedAfter() default 5;
}
