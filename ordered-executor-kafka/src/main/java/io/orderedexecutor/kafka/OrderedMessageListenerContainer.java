package io.orderedexecutor.kafka;

import io.micrometer.observation.ObservationRegistry;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.kafka.RecordRunner.Delays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.ContainerProperties.AssignmentCommitOption;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.kafka.support.micrometer.KafkaListenerObservation;
import org.springframework.kafka.support.micrometer.KafkaListenerObservation.DefaultKafkaListenerObservationConvention;
import org.springframework.kafka.support.micrometer.KafkaRecordReceiverContext;

/**
 * A listener container whose records run in order per key, on the threads of a {@link StripedExecutor}, and are
 * committed in order.
 *
 * <p>This is Spring's container with a batch listener of its own, which hands the records out and returns at once.
 * Spring's code polls, starts and stops, pauses and resumes, publishes events, and retries authorization. It never
 * commits and never seeks. Before each poll, this container commits the records that are settled: processed, accepted
 * by the dead letter topic, or given up.
 *
 * <p>Every property can be set before the container starts, except for those that the container sets itself: ack mode
 * and asynchronous acknowledgments, assignment commit option, sub-batches, {@code fixTxOffsets}, Spring's listener
 * timer and observations of a batch, error handler and batch interceptor. The container also limits the poll timeouts,
 * since commits happen between polls, and makes the shutdown timeout longer than the drain. All methods may be called
 * from any thread.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public class OrderedMessageListenerContainer<K, V> extends ConcurrentMessageListenerContainer<K, V> {
    private static final SafeLog log = SafeLog.of(OrderedMessageListenerContainer.class);

    /**
     * Whether a failure has stopped the container. Each start has a flag of its own, so that a late failure of an
     * earlier start does not stop the container.
     */
    private volatile AtomicBoolean failing = new AtomicBoolean();

    /** The maximum time of a poll that no wake-up may end. */
    private static final long SHORT_POLL_MILLIS = 20;

    private final StripedExecutor executor;

    /** The turns of the consumers. */
    private final ConsumerTurns<K, V> turns = new ConsumerTurns<>();

    /**
     * The rebalance listener that Spring sets if the application sets none; it only writes to the log. Null if the
     * application has set one.
     */
    private final @Nullable ConsumerRebalanceListener byDefault;

    // set by any thread; each start reads what was set last
    private volatile OrderedListenerSettings settings = OrderedListenerSettings.defaults();
    private volatile @Nullable Function<ConsumerRecord<?, ?>, @Nullable Object> key;
    private volatile @Nullable DeadLetters deadLetters;
    private volatile ListenerEvents events = ListenerEvents.NONE;
    private volatile Delays delays = Delays.SYSTEM;
    private volatile @Nullable Object bean;

    /**
     * Whether the container is being stopped with a callback. Then the caller does not wait. Guarded by the lifecycle
     * lock.
     */
    private boolean callsBack;

    /** Whether the differences from a plain container were logged. Guarded by the lifecycle lock. */
    private boolean told;

    /**
     * Creates a container.
     *
     * @param consumerFactory creates the consumers
     * @param containerProperties topics, group and all other properties
     * @param executor runs the records. Must have no capacity, since the window limits the records. The container does
     *     not close the executor
     */
    @SuppressWarnings("this-escape") // only the superclass has the getter that is called here
    public OrderedMessageListenerContainer(
            ConsumerFactory<? super K, ? super V> consumerFactory,
            ContainerProperties containerProperties,
            StripedExecutor executor) {
        super(consumerFactory, containerProperties);
        this.executor = executor;
        this.byDefault = containerProperties.getConsumerRebalanceListener() == null
                ? getContainerProperties().getConsumerRebalanceListener()
                : null;
    }

    /**
     * Sets how the listener is run, from the next start on.
     *
     * @param settings the settings
     */
    public void setSettings(OrderedListenerSettings settings) {
        this.settings = settings;
    }

    /**
     * Returns the settings of the listener.
     *
     * @return the settings
     */
    public OrderedListenerSettings getSettings() {
        return settings;
    }

    /**
     * Returns the executor that records run on.
     *
     * @return the executor
     */
    public StripedExecutor getExecutor() {
        return executor;
    }

    /**
     * Sets the function that returns the key by which a record is ordered. By default, this is the key of the record.
     * Takes effect at the next start.
     *
     * @param key called on the consumer thread for each record, as it was deserialized and before message conversion;
     *     must not block. If it fails or returns null for a record, that record goes to the failure policy
     */
    public void setKeyFunction(Function<ConsumerRecord<?, ?>, @Nullable Object> key) {
        this.key = key;
    }

    /**
     * Sets the expression for the key by which a record is ordered, as {@link OrderedByKey#key} does.
     *
     * @param expression the expression
     * @throws InvalidOrderedListenerException if it is wrong
     */
    public void setKeyExpression(String expression) {
        setKeyExpression(expression, "The ordered listener '" + name() + "'");
    }

    /** @param where how a message names the listener, at the beginning of a sentence */
    void setKeyExpression(String expression, String where) {
        this.key = RecordKeyExpression.of(expression, where);
    }

    /**
     * Sets the recoverer that publishes dead letters.
     *
     * @param recoverer called with each record to publish. The record is settled when the recoverer returns. If it
     *     throws, it is called again after a delay
     */
    public void setRecoverer(ConsumerRecordRecoverer recoverer) {
        this.deadLetters = DeadLetters.of(recoverer);
    }

    /**
     * Publishes dead letters to {@code <topic>-dlt}, by key and with the headers of Spring's
     * {@code DeadLetterPublishingRecoverer}.
     *
     * @param template publishes the dead letters
     */
    public void setDeadLetterTemplate(KafkaOperations<?, ?> template) {
        this.deadLetters = DeadLetters.to(template);
    }

    ConsumerFactory<? super K, ? super V> consumerFactory() {
        return consumerFactory;
    }

    boolean hasDeadLetters() {
        return deadLetters != null;
    }

    void setEvents(ListenerEvents events) {
        this.events = events;
    }

    void setDelays(Delays delays) {
        this.delays = delays;
    }

    /**
     * Sets the bean of the listener method, or null if the listener is not a method. The bean decides whether the
     * listener may seek.
     */
    void setBean(@Nullable Object bean) {
        this.bean = bean;
    }

    /** Returns the name of this listener in messages and meters. */
    String name() {
        String id = getListenerId();
        return id == null ? "consumer" : id;
    }

    // Before the start

    @Override
    @SuppressWarnings("unchecked")
    public void setupMessageListener(Object messageListener) {
        if (!(messageListener instanceof MessageListener<?, ?> listener)) {
            throw takesBatches("The ordered listener '" + name() + "'");
        }
        MessageListener<K, V> ours = (MessageListener<K, V>) listener;
        Object innermost = innermost(ours);
        boolean acknowledges = innermost instanceof AcknowledgingMessageListener
                || innermost instanceof AcknowledgingConsumerAwareMessageListener;
        if (acknowledges && !(innermost instanceof MessagingMessageListenerAdapter)) {
            throw new InvalidOrderedListenerException(
                    "The ordered listener '" + name()
                            + "' takes an Acknowledgment, but its records are acknowledged in "
                            + "order when their calls return",
                    "Set a MessageListener whose call returns when the record is processed, or write a @KafkaListener "
                            + "method that returns a CompletableFuture. To acknowledge by hand, use a plain "
                            + "container.");
        }
        ConsumerSeekAware seekAware = seekAware(ours, innermost);
        super.setupMessageListener(
                seekAware == null
                        ? new HandOutListener.NotSeeking<>(ours, turns::of)
                        : new HandOutListener.Seeking<>(ours, turns::of, seekAware));
    }

    /** @param where how the message names the listener, at its beginning */
    static InvalidOrderedListenerException takesBatches(String where) {
        return new InvalidOrderedListenerException(
                where + " takes batches, but an ordered listener takes records one by one",
                "Remove batch = \"true\" from its @KafkaListener, or spring.kafka.listener.type=batch; or "
                        + "use the plain container factory.");
    }

    private static Object innermost(Object listener) {
        Object each = listener;
        while (each instanceof DelegatingMessageListener<?> delegating) {
            each = delegating.getDelegate();
        }
        return each;
    }

    /**
     * Returns the listener if it seeks; otherwise null. Spring's adapter of a method implements
     * {@link ConsumerSeekAware} in any case, so the bean of the method decides.
     */
    private @Nullable ConsumerSeekAware seekAware(Object listener, Object innermost) {
        boolean isOfMethod = innermost instanceof MessagingMessageListenerAdapter && bean != null;
        boolean seeks = (isOfMethod ? bean : innermost) instanceof ConsumerSeekAware;
        return seeks && listener instanceof ConsumerSeekAware aware ? aware : null;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected void doStart() {
        if (isRunning()) {
            return;
        }
        ContainerProperties properties = getContainerProperties();
        StartCheck.checkAdvice(this);
        Object set = properties.getMessageListener();
        if (set != null && !(set instanceof HandOutListener)) {
            setupMessageListener(set);
        }
        StartCheck.check(this);
        if (!told) {
            told = true;
            StartCheck.tell(this);
        }
        HandOutListener<K, V> handOut = (HandOutListener<K, V>) properties.getMessageListener();
        if (handOut != null) {
            prepare(handOut, properties);
        }
        super.doStart();
    }

    private void prepare(HandOutListener<K, V> handOut, ContainerProperties properties) {
        properties.setAckMode(AckMode.MANUAL);
        properties.setAsyncAcks(false);
        properties.setAssignmentCommitOption(AssignmentCommitOption.NEVER);
        properties.setSubBatchPerPartition(false);
        // Spring would commit positions, which are beyond records that still run
        properties.setFixTxOffsets(false);
        // these meters and observations would measure the hand-out, and would be mistaken for those of the listener
        properties.setMicrometerEnabled(false);
        properties.setRecordObservationsInBatch(false);
        boolean isCalledBack = handOut instanceof HandOutListener.Seeking || hasRebalanceListener(properties);
        // a turn follows each poll, and commits
        long longestPoll = Math.max(1, Commits.longestPoll(settings).toMillis());
        properties.setPollTimeout(Math.min(
                properties.getPollTimeout(), isCalledBack ? Math.min(SHORT_POLL_MILLIS, longestPoll) : longestPoll));
        properties.setPollTimeoutWhilePaused(Duration.ofMillis(
                Math.min(properties.getPollTimeoutWhilePaused().toMillis(), properties.getPollTimeout())));
        properties.setShutdownTimeout(Math.max(
                properties.getShutdownTimeout(),
                settings.drainTimeout().plusSeconds(10).toMillis()));
        properties.setConsumerRebalanceListener(
                DrainingRebalanceListener.around(properties.getConsumerRebalanceListener(), turns::find));
        AtomicBoolean ofThisStart = new AtomicBoolean();
        failing = ofThisStart;
        setBatchInterceptor(new TurnInterceptor<>(
                consumer -> {
                    Turn<K, V> turn = turns.of(consumer);
                    if (ofThisStart.get()) {
                        // this turn was created after the failure
                        turn.giveUp();
                    }
                    return turn;
                },
                failure -> failed(ofThisStart, null, failure)));
        setCommonErrorHandler(new StopAfterFailure(failure -> failed(ofThisStart, null, failure)));
        super.setApplicationEventPublisher(LifecyclePublisher.around(getApplicationEventPublisher(), turns));

        ListenerSetup setup = new ListenerSetup(
                name(),
                getGroupId(),
                settings,
                executor,
                new RecordKey(key, name()),
                deadLetters,
                DeadLetters.publisher(name()),
                events,
                delays,
                (refused, failure) -> failed(ofThisStart, refused, failure));
        ObservationRegistry registry = observationRegistry(properties);
        RecordListener<K, V> listener = new RecordListener<>(
                handOut.listener(),
                registry,
                (record, clientId, observations) -> KafkaListenerObservation.LISTENER_OBSERVATION.observation(
                        properties.getObservationConvention(),
                        DefaultKafkaListenerObservationConvention.INSTANCE,
                        () -> new KafkaRecordReceiverContext(record, name(), clientId, getGroupId(), () -> null),
                        observations),
                this::getRecordInterceptor,
                getGroupId());
        Properties overrides = properties.getKafkaConsumerProperties();
        ClusterId clusterId = ClusterId.ask(consumerFactory.getConfigurationProperties(), overrides);
        turns.start(new ConsumerTurns.Start<>(
                setup,
                listener,
                clusterId,
                new Turn.Places(isCalledBack, givenOffsets(properties)::contains),
                StartCheck.silence(this)));
    }

    private boolean hasRebalanceListener(ContainerProperties properties) {
        ConsumerRebalanceListener inner =
                DrainingRebalanceListener.applications(properties.getConsumerRebalanceListener());
        return inner != null && inner != byDefault;
    }

    /** Returns the partitions that were assigned by hand, with an offset to begin at. */
    private static Set<TopicPartition> givenOffsets(ContainerProperties properties) {
        TopicPartitionOffset[] partitions = properties.getTopicPartitions();
        return partitions == null
                ? Set.of()
                : Stream.of(partitions)
                        .filter(each -> each.getOffset() != null
                                || each.getPosition() != null
                                || each.getOffsetComputeFunction() != null)
                        .map(TopicPartitionOffset::getTopicPartition)
                        .collect(Collectors.toUnmodifiableSet());
    }

    private ObservationRegistry observationRegistry(ContainerProperties properties) {
        ObservationRegistry set = properties.getObservationRegistry();
        ApplicationContext context = getApplicationContext();
        if (!set.isNoop() || !properties.isObservationEnabled() || context == null) {
            return set;
        }
        ObservationRegistry found =
                context.getBeanProvider(ObservationRegistry.class).getIfUnique();
        return found == null ? set : found;
    }

    // Stopping

    /**
     * Stops the container, and calls back when it has stopped: the running records have ended, or the drain has timed
     * out, and the settled records are committed. A listener may call this method to stop its own container, and
     * continue in the callback.
     */
    @Override
    public void stop(Runnable callback) {
        lifecycleLock.lock();
        try {
            callsBack = true;
            super.stop(callback);
        } finally {
            callsBack = false;
            lifecycleLock.unlock();
        }
    }

    /**
     * Stops the container. A listener that stops its own container would wait for itself, be interrupted, and run again
     * at the next start. Therefore, its call returns at once, no record starts any more, and the container stops when
     * the listener has returned.
     */
    @Override
    protected void doStop(Runnable callback, boolean normal) {
        boolean isOurs = turns.all().stream().anyMatch(turn -> turn.runner().isCallingHere());
        if (isOurs) {
            // at once: until the consumer's thread notices the stop, the next record of the key would start
            turns.all().forEach(Turn::giveUp);
        }
        if (isOurs && !callsBack) {
            super.doStop(() -> {}, normal);
            callback.run();
        } else {
            super.doStop(callback, normal);
        }
    }

    @Override
    public void destroy() {
        super.destroy();
        DeadLetters used = deadLetters;
        if (used != null) {
            used.close();
        }
    }

    // When nothing can go on

    /**
     * Stops the container after a failure, at most once for each start. No record starts any more, and the failure is
     * logged.
     */
    private void failed(AtomicBoolean ofStart, @Nullable ConsumerRecord<?, ?> refused, Throwable failure) {
        if (!ofStart.compareAndSet(false, true)) {
            return;
        }
        // read before the check: turns of a start that comes after it must not give up
        List<Turn<K, V>> now = List.copyOf(turns.all());
        // a failure of an earlier start is logged, and does not stop the current start
        boolean isOfNow = ofStart == failing;
        if (isOfNow) {
            now.forEach(Turn::giveUp);
        }
        try {
            log(refused, failure);
        } finally {
            if (isOfNow) {
                stopElsewhere(ofStart);
            }
        }
    }

    private void log(@Nullable ConsumerRecord<?, ?> refused, Throwable failure) {
        log.error(failure, () -> refused == null ? failed(failure) : refused(refused));
    }

    private String refused(ConsumerRecord<?, ?> record) {
        return "The executor '" + executor.name() + "' refused a record of listener '" + name() + "', "
                + record.topic() + "-" + record.partition() + "@" + record.offset()
                + ". The container stops; after a restart, it continues with this record.";
    }

    private String failed(Throwable failure) {
        return "Listener '" + name() + "' failed outside of the application's code. The container stops; after a"
                + " restart, it continues with the records that are not settled."
                + (failure instanceof SerializationException
                        ? " It cannot get past this record. With Spring's ErrorHandlingDeserializer around the"
                                + " deserializer, the failure-policy decides what is done with it."
                        : "");
    }

    /**
     * Stops the container on another thread, which may wait for the lifecycle lock. A start holds this lock while it
     * waits for the consumer's thread, and so does code of the application that is called back at a stop. If the
     * container was started again meanwhile, nothing is left to stop.
     */
    private void stopElsewhere(AtomicBoolean ofStart) {
        new SimpleAsyncTaskExecutor(name() + "-stop-").execute(() -> {
            lifecycleLock.lock();
            try {
                if (ofStart == failing) {
                    stopAbnormally(() -> {});
                }
            } finally {
                lifecycleLock.unlock();
            }
        });
    }

    // Looking and acting, from any thread

    /**
     * Returns a snapshot of each partition that is assigned to this listener.
     *
     * @return the assigned partitions, in no order; a snapshot may miss changes that happen during the call
     */
    public List<PartitionSnapshot> partitions() {
        List<PartitionSnapshot> partitions = new ArrayList<>();
        for (Turn<K, V> turn : turns.all()) {
            for (Assignment<K, V> each : turn.assignments().values()) {
                partitions.add(PartitionSnapshot.of(each));
            }
        }
        return partitions;
    }

    /**
     * Ends the parking of a record.
     *
     * @param partition its partition
     * @param offset its offset
     * @param action what to do with the record
     * @return true if the action is or will be carried out; false if this listener has parked no such record, if the
     *     record is to be resumed while its dead letter is being published, or if the record is dropped because its
     *     partition is being revoked or the listener stops
     * @throws IllegalStateException if the action is {@link ParkedAction#DEAD_LETTER} and there is nowhere to publish
     */
    public boolean endParking(TopicPartition partition, long offset, ParkedAction action) {
        if (action == ParkedAction.DEAD_LETTER && !hasDeadLetters()) {
            throw new IllegalStateException(
                    "Listener '" + name() + "' has nowhere to publish dead letters. " + DeadLetters.HOW_TO_DEFINE);
        }
        for (Turn<K, V> turn : turns.all()) {
            Assignment<K, V> assignment = turn.assignments().get(partition);
            // while a consumer of the last start drains, two turns may have the partition
            if (assignment != null && turn.runner().unpark(assignment, offset, action)) {
                return true;
            }
        }
        return false;
    }

    Collection<Turn<K, V>> turns() {
        return turns.all();
    }
}
