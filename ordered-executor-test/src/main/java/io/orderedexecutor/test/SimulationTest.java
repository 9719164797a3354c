package io.orderedexecutor.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is run many times, each time with another order of what its threads and ordered executors do. The method
 * takes a {@link Simulation}.
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
 * <p>Each run has an instance of the test class of its own, with {@code @BeforeEach} and {@code @AfterEach} methods
 * around it that are part of the simulation. If the constructor leaves a field null and an extension has set it in
 * JUnit's instance, the field gets that value. The method runs on a thread of its own, so it sees no transaction that
 * is bound to the thread of the test.
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
     * How many schedules are tried; with the exhaustive strategy, the maximum.
     *
     * @return at least 1
     */
    int runs() default 1000;

    /**
     * Where schedules come from: a whole number, or what a failed simulation has printed, to repeat that run only.
     *
     * @return empty for a number that is made of the name of the test
     */
    String seed() default "";

    /**
     * How schedules are chosen.
     *
     * @return the strategy
     */
    Strategy strategy() default Strategy.RANDOM;

    /**
     * The maximum number of preemptions in each run, with the exhaustive strategy: points at which a thread could go
     * on, but another one does.
     *
     * @return at least 0
     */
    int preemptions() default 2;

    /**
     * What may go wrong, from the beginning of each run.
     *
     * @return none by default
     */
    Fault[] faults() default {};

    /**
     * After how many seconds a thread is taken to have blocked, in real time.
     *
     * @return at least 1
     */
    int blockedAfter() default 5;
}
