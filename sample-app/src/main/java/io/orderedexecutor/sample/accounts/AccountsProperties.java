package io.orderedexecutor.sample.accounts;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The bounds that keep the accounts' memory small.
 *
 * @param maxEntries how many of its last entries are kept of each account
 * @param maxAccounts how many accounts are kept; those with pending events are always kept, of the others those used
 *     last
 */
@ConfigurationProperties("sample.accounts")
record AccountsProperties(
        @DefaultValue("100") int maxEntries,
        @DefaultValue("10000") int maxAccounts) {}
