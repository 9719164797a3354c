package io.orderedexecutor.transactions;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** An application with one table, and listeners that note what they see. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        // the registry has a test of its own
        excludeName = {
            "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
            "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
            "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
            "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration",
            "org.springframework.modulith.moments.autoconfigure.MomentsJacksonAutoConfiguration"
        })
class TestApplication {
    static final int ROWS = 20;

    /** A property for an application without JPA transactions, and with savepoints. */
    static final String JDBC_ONLY = "test.jdbc-only=true";

    /** Starts it on a new database. */
    static ConfigurableApplicationContext start(Database database, Class<?> listeners, String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(TestApplication.class, listeners)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.hikari.maximum-pool-size=24",
                        "spring.jpa.open-in-view=false",
                        "spring.jpa.hibernate.ddl-auto=create",
                        "spring.main.banner-mode=off",
                        "logging.level.root=ERROR")
                .properties(properties)
                .run();
        context.getBean(Rows.class).create(ROWS);
        return context;
    }

    /** In place of the JPA manager, which has no savepoints. */
    @Bean
    @ConditionalOnBooleanProperty("test.jdbc-only")
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }

    @Bean
    Rows rows(
            org.springframework.jdbc.core.JdbcTemplate jdbc,
            jakarta.persistence.EntityManager entityManager,
            org.springframework.context.ApplicationEventPublisher events) {
        return new Rows(jdbc, entityManager, events);
    }

    @Bean
    Declared declared() {
        return new Declared();
    }

    /** Declares transactions by annotation. */
    static class Declared {
        @Transactional
        public void run(Runnable work) {
            work.run();
        }
    }

    /** Ours. */
    static class Ordered {
        private final Journal journal = new Journal();

        // the bean is a proxy, which has no fields
        Journal journal() {
            return journal;
        }

        @OrderedTransactionalEventListener(stripe = "#event.row")
        public void on(Changed event) {
            journal.add(event);
        }
    }

    /** Spring's alone. */
    static class Plain {
        private final Journal journal = new Journal();

        Journal journal() {
            return journal;
        }

        @TransactionalEventListener
        public void on(Changed event) {
            journal.add(event);
        }
    }
}
