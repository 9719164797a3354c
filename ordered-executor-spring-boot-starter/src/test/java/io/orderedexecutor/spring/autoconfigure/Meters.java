package io.orderedexecutor.spring.autoconfigure;

/** The auto-configuration of meters, for tests of other packages. */
public final class Meters {
    public static final Class<?> AUTO_CONFIGURATION = OrderedExecutorMetricsAutoConfiguration.class;

    private Meters() {}
}
