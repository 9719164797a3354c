package io.orderedexecutor.sample.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.request;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.orderedexecutor.sample.chat.Chats.Reply;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** What the model is asked, and who gets which answer. */
class ChatsTest {

    private record Question(List<String> messages, CompletableFuture<String> answer) {}

    /** Each question that the model was asked, in order. */
    private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();

    private void test(Consumer<ChatController> test) {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
                .withBean(Model.class, () -> messages -> {
                    Question question = new Question(messages, new CompletableFuture<>());
                    questions.add(question);
                    return question.answer();
                })
                .withBean(Chats.class)
                .withBean(ChatController.class)
                .run(context -> test.accept(context.getBean(ChatController.class)));
    }

    private Question asked(String... messages) {
        try {
            Question question = questions.poll(30, TimeUnit.SECONDS);
            assertThat(question).isNotNull();
            assertThat(question.messages()).containsExactly(messages);
            return question;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Reply get(CompletableFuture<Reply> reply) {
        return reply.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void followupsAreAnsweredOneAfterAnother() {
        test(chat -> {
            CompletableFuture<Reply> one = chat.followup("alice", "1");
            CompletableFuture<Reply> two = chat.followup("alice", "2");
            asked("1").answer().complete("one");
            asked("2").answer().complete("two");
            assertThat(get(one)).isEqualTo(new Reply(List.of("1"), "one"));
            assertThat(get(two)).isEqualTo(new Reply(List.of("2"), "two"));
        });
    }

    @Test
    void whatWasSaidMeanwhileIsAnsweredAtOnce() {
        test(chat -> {
            CompletableFuture<Reply> one = chat.collect("alice", "1");
            Question first = asked("1");
            CompletableFuture<Reply> two = chat.collect("alice", "2");
            CompletableFuture<Reply> three = chat.collect("alice", "3");
            first.answer().complete("one");
            asked("2", "3").answer().complete("both");
            assertThat(get(one)).isEqualTo(new Reply(List.of("1"), "one"));
            assertThat(get(two)).isEqualTo(new Reply(List.of("2", "3"), "both"));
            assertThat(get(three)).isEqualTo(get(two));
        });
    }

    @Test
    void theLastMessageCounts() {
        test(chat -> {
            CompletableFuture<Reply> one = chat.latest("alice", "1");
            Question first = asked("1");
            CompletableFuture<Reply> two = chat.latest("alice", "2");
            CompletableFuture<Reply> three = chat.latest("alice", "3");
            assertThatThrownBy(() -> get(two)).isInstanceOf(CancellationException.class);
            first.answer().complete("one");
            asked("3").answer().complete("three");
            assertThat(get(one).text()).isEqualTo("one");
            assertThat(get(three).text()).isEqualTo("three");
        });
    }

    @Test
    void theModelStopsWhatItIsSaying() {
        test(chat -> {
            CompletableFuture<Reply> one = chat.interrupt("alice", "1");
            Question first = asked("1");
            CompletableFuture<Reply> two = chat.interrupt("alice", "2");
            asked("2").answer().complete("two");
            assertThat(first.answer()).isCancelled();
            assertThat(get(two).text()).isEqualTo("two");
            assertThatThrownBy(() -> get(one)).isInstanceOf(CancellationException.class);
        });
    }

    @Test
    void aMessageThatGetsNoAnswerIsAConflict() {
        test(chat -> {
            MockMvc mvc = MockMvcBuilders.standaloneSetup(chat).build();
            try {
                MvcResult one = mvc.perform(post("/chats/alice/interrupt").param("message", "1"))
                        .andExpect(request().asyncStarted())
                        .andReturn();
                asked("1");
                mvc.perform(post("/chats/alice/interrupt").param("message", "2"));
                mvc.perform(asyncDispatch(one))
                        .andExpect(status().isConflict())
                        .andExpect(jsonPath("$.detail")
                                .value("A later message came before the answer, or the application is shutting down."));
                // the context would wait for it at its end
                asked("2").answer().complete("two");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }
}
