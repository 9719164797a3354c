package io.orderedexecutor.kafka;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What is awaited without a limit of its own has 30 s, in all tests of this module: only a hang takes longer. */
public final class LongWaits implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext test) {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }
}
