package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.verify;

import io.orderedexecutor.spring.annotation.OrderedAsync;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.mockito.exceptions.misusing.InvalidUseOfMatchersException;
import org.mockito.exceptions.misusing.UnfinishedStubbingException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.util.AopTestUtils;

/** A call that stubs a spied bean through its proxy would be an ordered call, with arguments that are null. */
@SpringBootTest(classes = SpiedBeanTest.Application.class, webEnvironment = WebEnvironment.NONE)
class SpiedBeanTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    static class Orders {
        @OrderedAsync(stripe = "#account")
        public CompletableFuture<String> book(String account, String order) {
            return CompletableFuture.completedFuture("booked");
        }
    }

    @MockitoSpyBean
    Orders orders;

    @Test
    void isStubbedBehindItsProxy() {
        Orders spy = AopTestUtils.getUltimateTargetObject(orders); // a @MockitoSpyBean
        doReturn(CompletableFuture.completedFuture("stubbed")).when(spy).book(any(), any());

        assertThat(orders.book("alice", "order 1").join()).isEqualTo("stubbed");
        verify(spy).book(any(), any());
    }

    @Test
    void stubbingItsProxyFails() {
        CompletableFuture<String> stubbed = CompletableFuture.completedFuture("stubbed");
        assertThatThrownBy(() -> doReturn(stubbed).when(orders).book(any(), any()))
                .hasMessageContaining("is null for this call");
        // what would fail the next test
        assertThatThrownBy(Mockito::validateMockitoUsage).isInstanceOf(InvalidUseOfMatchersException.class);
        assertThatThrownBy(Mockito::validateMockitoUsage).isInstanceOf(UnfinishedStubbingException.class);
    }
}
