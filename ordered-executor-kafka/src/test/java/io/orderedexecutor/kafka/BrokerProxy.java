package io.orderedexecutor.kafka;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Stands between consumers and the broker, whose answers take as long as in a network. On request it makes one race
 * happen for a single consumer: it holds back the heartbeat that gives the member a new epoch until the member has sent
 * a commit, which has the old one. Answers of a connection keep the order of its requests, so both arrive one after the
 * other.
 */
final class BrokerProxy implements AutoCloseable {
    private final ServerSocket server;
    private final int brokerPort;
    private final long latencyNanos;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch committing = new CountDownLatch(1);
    private volatile boolean holds;

    /** Of the member, while there is but one. */
    private volatile int epoch;

    BrokerProxy(Duration latency) throws IOException {
        latencyNanos = latency.toNanos();
        brokerPort = Integer.parseInt(Broker.servers().replaceAll(".*:", ""));
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    String servers() {
        return "localhost:" + server.getLocalPort();
    }

    /** From now on. */
    void holdTheNextEpoch() {
        holds = true;
    }

    /** Whether the broker gives the member a new epoch of which that does not hear. */
    boolean awaitHeld() throws InterruptedException {
        return held.await(30, TimeUnit.SECONDS);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                connect(server.accept());
            } catch (IOException | RejectedExecutionException closed) {
                // the end, or of one connection only, which its client makes again
            }
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        try {
            Socket broker = new Socket("localhost", brokerPort);
            sockets.add(broker);
            client.setTcpNoDelay(true);
            broker.setTcpNoDelay(true);
            Map<Integer, RequestHeader> requests = new ConcurrentHashMap<>();
            threads.execute(() -> forward(client, broker, 0, frame -> request(frame, requests)));
            threads.execute(() -> forward(broker, client, latencyNanos, frame -> response(frame, requests)));
        } catch (IOException | RejectedExecutionException e) {
            client.close();
            throw e;
        }
    }

    @FunctionalInterface
    private interface Frames {
        void look(byte[] frame) throws Exception;
    }

    private void forward(Socket from, Socket to, long delay, Frames frames) {
        // a thread for each connection: who reads nothing, as a frozen process, holds up nobody else's answers
        ScheduledExecutorService line = Executors.newSingleThreadScheduledExecutor();
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                byte[] frame = in.readNBytes(in.readInt());
                frames.look(frame);
                if (delay == 0) {
                    write(frame, out);
                } else {
                    var unused = line.schedule(() -> write(frame, out), delay, TimeUnit.NANOSECONDS);
                }
            }
        } catch (EOFException | SocketException | UncheckedIOException | RejectedExecutionException closed) {
            // by one of the two, or by the test
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            line.shutdownNow();
        }
    }

    private static void write(byte[] frame, DataOutputStream out) {
        try {
            out.writeInt(frame.length);
            out.write(frame);
            out.flush();
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }

    private void request(byte[] frame, Map<Integer, RequestHeader> requests) {
        RequestHeader header = RequestHeader.parse(ByteBuffer.wrap(frame));
        requests.put(header.correlationId(), header);
        if (header.apiKey() == ApiKeys.OFFSET_COMMIT) {
            committing.countDown();
        }
    }

    private void response(byte[] frame, Map<Integer, RequestHeader> requests) throws InterruptedException {
        RequestHeader header = requests.remove(ByteBuffer.wrap(frame).getInt());
        switch (header.apiKey()) {
            case METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER -> leadBackHere(frame);
            case CONSUMER_GROUP_HEARTBEAT -> {
                var heartbeat =
                        (ConsumerGroupHeartbeatResponse) AbstractResponse.parseResponse(ByteBuffer.wrap(frame), header);
                heartbeat(heartbeat.data().memberEpoch());
            }
            default -> {}
        }
    }

    private void heartbeat(int next) throws InterruptedException {
        boolean isNew = next > epoch;
        epoch = next;
        if (isNew && holds) {
            held.countDown();
            if (!committing.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no commit within 30 s");
            }
        }
    }

    /** Where the broker tells its address. */
    private void leadBackHere(byte[] frame) {
        ByteBuffer buffer = ByteBuffer.wrap(frame);
        ByteBuffer host = ByteBuffer.wrap("localhost".getBytes(StandardCharsets.UTF_8));
        int length = host.remaining();
        for (int i = 0; i + length + Integer.BYTES <= frame.length; i++) {
            if (buffer.slice(i, length).equals(host) && buffer.getInt(i + length) == brokerPort) {
                buffer.putInt(i + length, server.getLocalPort());
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket each : sockets) {
            each.close();
        }
        threads.shutdownNow();
    }
}
