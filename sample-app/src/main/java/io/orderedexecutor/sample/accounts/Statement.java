package io.orderedexecutor.sample.accounts;

import java.util.List;

/**
 * What a client is shown of its account.
 *
 * @param client its name
 * @param pending how many of its events are accepted and not processed
 * @param processed how many of its events were processed
 * @param balance what it has
 * @param events the last events that were processed, in the order in which they were
 */
public record Statement(String client, long pending, long processed, long balance, List<Entry> events) {}
