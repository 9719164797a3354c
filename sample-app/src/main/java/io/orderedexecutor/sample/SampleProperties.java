package io.orderedexecutor.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The bounds that keep the memory of the sample small.
 *
 * @param lineBytes how long an event may be, as sent
 * @param pendingCoins how many coins may wait to be counted, in each mode; at a millisecond each, and all of one client
 *     in the worst case, this is also how long a shutdown takes
 * @param patience how long a sender is kept waiting for room before it is sent away
 * @param keptEvents how many of its last events are kept of each client
 * @param idleClients how many clients are remembered that have nothing pending; the ones idle for longest are forgotten
 *     first, balance and all
 */
@ConfigurationProperties("sample")
public record SampleProperties(
        @DefaultValue("1024") int lineBytes,
        @DefaultValue("20000") int pendingCoins,
        @DefaultValue("10s") Duration patience,
        @DefaultValue("100") int keptEvents,
        @DefaultValue("10000") int idleClients) {

    public SampleProperties {
        if (pendingCoins < Event.MAX_COINS) {
            throw new IllegalArgumentException("sample.pending-coins is " + pendingCoins + ", but must be at least "
                    + Event.MAX_COINS + ": an event may have that many, and would never find room");
        }
    }
}
