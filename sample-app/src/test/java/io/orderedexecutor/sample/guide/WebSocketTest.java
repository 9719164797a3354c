package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.orderedexecutor.StripedExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.TextWebSocketHandler;

class WebSocketTest {
    /** The messages of a session are answered in order, those of different sessions in parallel. */
    static class OrderedWebSocketHandler extends TextWebSocketHandler {
        private final StripedExecutor sessions;

        OrderedWebSocketHandler(StripedExecutor sessions) {
            this.sessions = sessions;
        }

        @Override
        protected void handleTextMessage(WebSocketSession session, TextMessage message) throws IOException {
            try {
                sessions.execute(session.getId(), () -> answer(session, message));
            } catch (RejectedExecutionException full) { // this session sends faster than it is served
                session.close(CloseStatus.SESSION_NOT_RELIABLE);
            }
        }

        private void answer(WebSocketSession session, TextMessage message) {
            try {
                session.sendMessage(new TextMessage("echo " + message.getPayload())); // one at a time, in order
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final WebSocketSession session = mock();

    @Test
    void messagesOfASessionAreAnsweredInOrder() throws Exception {
        when(session.getId()).thenReturn("1");
        doAnswer(call -> sent.add(call.<TextMessage>getArgument(0).getPayload()))
                .when(session)
                .sendMessage(any());
        try (StripedExecutor sessions = StripedExecutor.builder().threads(4).build()) {
            OrderedWebSocketHandler handler = new OrderedWebSocketHandler(sessions);
            for (int i = 0; i < 100; i++) {
                handler.handleMessage(session, new TextMessage("message " + i));
            }
        }

        assertThat(sent)
                .containsExactlyElementsOf(IntStream.range(0, 100)
                        .mapToObj(i -> "echo message " + i)
                        .toList());
        verify(session, never()).close(any());
    }

    @Test
    void aSessionThatSendsTooFastIsClosed() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        when(session.getId()).thenReturn("1");
        doAnswer(call -> {
                    started.countDown();
                    sent.add(call.<TextMessage>getArgument(0).getPayload());
                    return end.await(30, TimeUnit.SECONDS);
                })
                .when(session)
                .sendMessage(any());
        try (StripedExecutor sessions =
                StripedExecutor.builder().threads(4).keyCapacity(2).build()) {
            OrderedWebSocketHandler handler = new OrderedWebSocketHandler(sessions);
            handler.handleMessage(session, new TextMessage("message 0"));
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            handler.handleMessage(session, new TextMessage("message 1"));
            handler.handleMessage(session, new TextMessage("message 2"));
            verify(session, never()).close(any());

            handler.handleMessage(session, new TextMessage("message 3")); // two wait already

            verify(session).close(CloseStatus.SESSION_NOT_RELIABLE);
            end.countDown();
        }
        assertThat(sent).containsExactly("echo message 0", "echo message 1", "echo message 2");
    }
}
