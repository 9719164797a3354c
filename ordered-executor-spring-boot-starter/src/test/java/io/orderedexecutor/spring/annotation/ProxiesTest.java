package io.orderedexecutor.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorAutoConfiguration;
import io.orderedexecutor.spring.fixtures.Journal;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Where the annotation may be, and what it works together with. Methods write themselves as the next of stripe "a". */
class ProxiesTest {
    private static final int CALLS = 100;

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OrderedExecutorAutoConfiguration.class, AopAutoConfiguration.class))
            .withBean(Journal.class);

    @Test
    void interfaceProxies() {
        contexts.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(OnInterface.class)
                .run(context -> {
                    Handler handler = context.getBean(Handler.class);
                    assertThat(AopUtils.isJdkDynamicProxy(handler)).isTrue();
                    assertRunsInOrder(context.getBean(Journal.class), handler);
                });
        contexts.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(FinalOnClass.class)
                .run(context -> assertRunsInOrder(context.getBean(Journal.class), context.getBean(Handler.class)));
    }

    @Test
    void annotationOnAnInterfaceWithAClassProxy() {
        contexts.withBean(OnInterface.class).run(context -> {
            assertThat(AopUtils.isCglibProxy(context.getBean(OnInterface.class)))
                    .isTrue();
            assertRunsInOrder(context.getBean(Journal.class), context.getBean(OnInterface.class));
        });
    }

    @Test
    void beansThatAreProxiesAlready() {
        contexts.withBean(Handler.class, () -> (Handler) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Handler.class},
                        (proxy, method, arguments) -> null))
                .run(context -> {
                    context.getBean(Handler.class).handle("a", 0);
                    assertThatThrownBy(() -> context.getBean(Handler.class).handle(null, 0))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("is null");
                });
    }

    /** As a port that a bean method chooses: a call is submitted once, whatever name it is made through. */
    @ParameterizedTest
    @ValueSource(classes = {TwoNames.class, TwoAdvisedNames.class})
    void theSameBeanUnderTwoNames(Class<?> configuration) {
        contexts.withUserConfiguration(configuration).run(context -> {
            for (String name : List.of("adapter", "port")) {
                assertThat(context.getBean(name, Adapter.class).thread("a").get(30, TimeUnit.SECONDS))
                        .startsWith("ordered-executor-");
            }
            StripedExecutor executor = context.getBean(StripedExecutor.class);
            executor.close();
            assertThat(executor.inspect().stats().completed()).isEqualTo(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoNames {
        @Bean
        Adapter adapter() {
            return new Adapter();
        }

        @Bean
        Adapter port(@Qualifier("adapter") Adapter adapter) {
            return adapter;
        }
    }

    /** With advice of its own, the second name is a proxy around the first one. */
    static class TwoAdvisedNames extends TwoNames {
        @Bean
        static DefaultAdvisorAutoProxyCreator proxies() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            creator.setOrder(Integer.MIN_VALUE);
            return creator;
        }

        @Bean
        static DefaultPointcutAdvisor advice() {
            return new DefaultPointcutAdvisor(
                    new StaticMethodMatcherPointcut() {
                        @Override
                        public boolean matches(Method method, Class<?> type) {
                            return Adapter.class.isAssignableFrom(type);
                        }
                    },
                    (MethodInterceptor) call -> call.proceed());
        }
    }

    static class Adapter {
        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> thread(String key) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    /** As the reference says: a reference from a time when there was no proxy, and one that waits for it. */
    @Test
    void aBeanThatIsInjectedIntoItself() {
        contexts.withAllowCircularReferences(true).withBean(OfItself.class).run(context -> {
            OfItself bean = context.getBean(OfItself.class);
            assertThat(bean.threadThroughRaw("a").get(30, TimeUnit.SECONDS))
                    .isEqualTo(Thread.currentThread().getName());
            assertThat(bean.threadThroughLazy("a").get(30, TimeUnit.SECONDS)).startsWith("ordered-executor-");
        });
    }

    static class OfItself {
        @Autowired
        private OfItself raw;

        @Autowired
        @Lazy
        private OfItself lazy;

        public CompletableFuture<String> threadThroughRaw(String key) {
            return raw.thread(key);
        }

        public CompletableFuture<String> threadThroughLazy(String key) {
            return lazy.thread(key);
        }

        @OrderedAsync(stripe = "#key")
        public CompletableFuture<String> thread(String key) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void genericBridges() {
        contexts.withBean(GenericHandler.class).run(context -> {
            @SuppressWarnings("unchecked")
            Generic<Integer> generic = context.getBean(Generic.class);
            for (int i = 0; i < CALLS; i++) {
                generic.handle("a", i);
            }
            assertDone(context.getBean(Journal.class));
            assertThat(context.getBean(StripedExecutor.class).inspect().stats().completed())
                    .isGreaterThanOrEqualTo(CALLS - 1);
        });
    }

    @Test
    void annotationOnATypeWithOverride() {
        contexts.withBean(OnType.class)
                .withPropertyValues(
                        "ordered-executor.striped.by-type.threads=1", "ordered-executor.striped.by-method.threads=1")
                .run(context -> {
                    OnType bean = context.getBean(OnType.class);
                    assertThat(bean.typical("a").join()).startsWith("by-type-");
                    assertThat(bean.special("a").join()).startsWith("by-method-");
                    assertThat(bean.hidden("a"))
                            .as("not public")
                            .isEqualTo(Thread.currentThread().getName());
                    assertThat(bean).as("toString is no task").hasToString("OnType");
                });
    }

    @Test
    void annotationOnAnInterfaceAsAWhole() {
        for (boolean classProxies : new boolean[] {true, false}) {
            contexts.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                    .withBean("bean", Ordered.class, ByInterface::new)
                    .run(context -> {
                        Ordered bean = context.getBean(Ordered.class);
                        assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(classProxies);
                        assertThat(bean.typical("a").get()).startsWith("ordered-executor-");
                        assertThat(bean.byDefault("a").get()).startsWith("ordered-executor-");
                        assertThat(bean.special("a").get()).startsWith("ordered-executor-");
                        assertThatThrownBy(() -> bean.special(null))
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining("\"#p0\"");
                    });
        }
    }

    @Test
    void genericBridgesOfAnnotatedInterfaces() {
        for (boolean classProxies : new boolean[] {true, false}) {
            contexts.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                    .withBean("bean", AnnotatedGeneric.class, OfAnnotatedGeneric::new)
                    .run(context -> {
                        @SuppressWarnings("unchecked")
                        AnnotatedGeneric<Integer> bean = context.getBean(AnnotatedGeneric.class);
                        assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(classProxies);
                        assertThat(bean.handle("a", 1).get()).startsWith("ordered-executor-");
                        assertThat(context.getBean(StripedExecutor.class)
                                        .inspect()
                                        .stats()
                                        .completed())
                                .as("one task for the method and its bridge")
                                .isLessThanOrEqualTo(1);
                    });
        }
    }

    @OrderedAsync(stripe = "#clientId")
    interface Ordered {
        CompletableFuture<String> typical(String clientId);

        default CompletableFuture<String> byDefault(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        CompletableFuture<String> special(String clientId);
    }

    static class ByInterface implements Ordered {
        @Override
        public CompletableFuture<String> typical(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Override
        @OrderedAsync(stripe = "#p0")
        public CompletableFuture<String> special(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    interface AnnotatedGeneric<T> {
        @OrderedAsync(stripe = "#clientId")
        CompletableFuture<String> handle(String clientId, T value);
    }

    static class OfAnnotatedGeneric implements AnnotatedGeneric<Integer> {
        @Override
        public CompletableFuture<String> handle(String clientId, Integer value) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void metaAnnotationsWithAliases() {
        contexts.withBean(Meta.class)
                .withPropertyValues("ordered-executor.striped.payments.threads=1")
                .run(context -> {
                    assertThat(context.getBean(Meta.class).plain("a").join()).startsWith("ordered-executor-");
                    assertThat(context.getBean(Meta.class).aliased("a").join()).startsWith("payments-");
                });
    }

    /** A transaction is such an advice: it has to begin and end inside the task. */
    @Test
    void otherAdviceRunsInsideTheTask() {
        contexts.withUserConfiguration(OtherAdvice.class)
                .withBean(Advised.class)
                .run(context -> {
                    String threads = context.getBean(Advised.class).handle("a").get();
                    assertThat(threads).matches("advice on ordered-executor-\\d+, method on ordered-executor-\\d+");
                });
    }

    @Test
    void eventListeners() {
        contexts.withBean(Listener.class).run(context -> {
            for (int i = 0; i < CALLS; i++) {
                context.publishEvent(new Event("a", i));
                context.publishEvent(new Event("b", i));
            }
            Journal journal = context.getBean(Journal.class);
            assertDone(journal);
            journal.await("b", CALLS);
            journal.assertInOrder("b", CALLS);
            assertThat(context.getBean(Listener.class).lastThread()).startsWith("ordered-executor-");
        });
    }

    @Test
    void scheduledMethods() {
        contexts.withUserConfiguration(Scheduling.class).withBean(Ticker.class).run(context -> {
            context.getBean(Journal.class).await("a", 3);
            assertThat(context.getBean(Ticker.class).lastThread()).startsWith("ordered-executor-");
        });
    }

    private static void assertRunsInOrder(Journal journal, Handler handler) throws InterruptedException {
        for (int i = 0; i < CALLS; i++) {
            handler.handle("a", i);
        }
        assertDone(journal);
    }

    private static void assertDone(Journal journal) throws InterruptedException {
        journal.await("a", CALLS);
        journal.assertInOrder("a", CALLS);
    }

    interface Handler {
        @OrderedAsync(stripe = "#clientId")
        void handle(String clientId, int number);
    }

    static class OnInterface implements Handler {
        private final Journal journal;

        OnInterface(Journal journal) {
            this.journal = journal;
        }

        @Override
        public void handle(String clientId, int number) {
            assertThat(Thread.currentThread().getName()).startsWith("ordered-executor-");
            journal.write(clientId, number);
        }
    }

    static final class FinalOnClass implements Handler {
        private final Journal journal;

        FinalOnClass(Journal journal) {
            this.journal = journal;
        }

        @Override
        @OrderedAsync(stripe = "'all of ' + #client")
        public void handle(String client, int number) {
            assertThat(Thread.currentThread().getName()).startsWith("ordered-executor-");
            journal.write(client, number);
        }
    }

    interface Generic<T> {
        void handle(String clientId, T value);
    }

    static class GenericHandler implements Generic<Integer> {
        private final Journal journal;

        GenericHandler(Journal journal) {
            this.journal = journal;
        }

        @Override
        @OrderedAsync(stripe = "#clientId")
        public void handle(String clientId, Integer number) {
            assertThat(Thread.currentThread().getName()).startsWith("ordered-executor-");
            journal.write(clientId, number);
        }
    }

    @OrderedAsync(stripe = "#clientId", executor = "by-type")
    static class OnType {
        public CompletableFuture<String> typical(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @OrderedAsync(stripe = "#clientId", executor = "by-method")
        public CompletableFuture<String> special(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        String hidden(String clientId) {
            return Thread.currentThread().getName();
        }

        @Override
        public String toString() {
            return "OnType";
        }
    }

    @OrderedAsync(stripe = "#clientId")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface PerClient {
        @AliasFor(annotation = OrderedAsync.class)
        String executor() default "";
    }

    static class Meta {
        @PerClient
        public CompletableFuture<String> plain(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @PerClient(executor = "payments")
        public CompletableFuture<String> aliased(String clientId) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    static class Advised {
        static final ThreadLocal<String> SEEN = new ThreadLocal<>();

        @OrderedAsync(stripe = "#clientId")
        public CompletableFuture<String> handle(String clientId) {
            return CompletableFuture.completedFuture(
                    SEEN.get() + ", method on " + Thread.currentThread().getName());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherAdvice {

        @Bean
        static DefaultAdvisorAutoProxyCreator creator() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            return creator;
        }

        @Bean
        static DefaultPointcutAdvisor advisor() {
            return new DefaultPointcutAdvisor(
                    new StaticMethodMatcherPointcut() {
                        @Override
                        public boolean matches(Method method, Class<?> targetClass) {
                            return targetClass == Advised.class;
                        }
                    },
                    (MethodInterceptor) invocation -> {
                        Advised.SEEN.set("advice on " + Thread.currentThread().getName());
                        return invocation.proceed();
                    });
        }
    }

    record Event(String clientId, int number) {}

    static class Listener {
        private final Journal journal;
        private volatile String lastThread = "";

        Listener(Journal journal) {
            this.journal = journal;
        }

        @EventListener
        @OrderedAsync(stripe = "#event.clientId")
        public void on(Event event) {
            lastThread = Thread.currentThread().getName();
            journal.write(event.clientId(), event.number());
        }

        public String lastThread() {
            return lastThread;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Ticker {
        private final Journal journal;
        private int number;
        private volatile String lastThread = "";

        Ticker(Journal journal) {
            this.journal = journal;
        }

        @Scheduled(fixedRate = 1)
        @OrderedAsync(stripe = "'ticks'")
        public void tick() {
            lastThread = Thread.currentThread().getName();
            journal.write("a", number++);
        }

        public String lastThread() {
            return lastThread;
        }
    }
}
