package io.orderedexecutor.transactions;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import jakarta.persistence.EntityManager;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
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

    /** A property for an application without JPA, which takes long to start, and with savepoints. */
    static final String JDBC_ONLY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    static final String JDBC_AND_JPA = "spring.autoconfigure.exclude=";

    /** Starts it on a new database. */
    static ConfigurableApplicationContext start(Database database, Class<?> listeners, String... properties) {
        return startWith(database, List.of(listeners), properties);
    }

    static ConfigurableApplicationContext startWith(Database database, List<Class<?>> beans, String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(TestApplication.class)
                .sources(beans.toArray(Class<?>[]::new))
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

    @Bean
    Rows rows(JdbcTemplate jdbc, ObjectProvider<EntityManager> entityManager, ApplicationEventPublisher events) {
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
