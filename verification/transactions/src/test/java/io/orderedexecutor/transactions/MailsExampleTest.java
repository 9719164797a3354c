package io.orderedexecutor.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.spring.annotation.OrderedTransactionalEventListener;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The example of docs/transactions.md: a mail for each booking, in the order of the commits. */
@Timeout(60)
class MailsExampleTest {

    record Booked(String account, int balance) {}

    @Service
    static class Accounts {
        private final JdbcClient database;
        private final ApplicationEventPublisher events;

        Accounts(JdbcClient database, ApplicationEventPublisher events) {
            this.database = database;
            this.events = events;
        }

        @Transactional
        public void book(String account, int amount) {
            int balance = amount
                    + database.sql("select balance from account where name = ? for update") // locks the row
                            .param(account)
                            .query(Integer.class)
                            .single();
            database.sql("update account set balance = ? where name = ?")
                    .params(balance, account)
                    .update();
            events.publishEvent(new Booked(account, balance));
        }
    }

    @Component
    static class Mails {
        private final MailServer server;

        Mails(MailServer server) {
            this.server = server;
        }

        @OrderedTransactionalEventListener(stripe = "#event.account")
        public void send(Booked event) {
            server.send(event.account(), "Your balance is " + event.balance());
        }
    }

    static class MailServer {
        private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

        void send(String account, String text) {
            sent.add(account + ": " + text);
        }
    }

    @Test
    void aMailForEachBookingInTheOrderOfTheCommits() {
        MailServer server;
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        TestApplication.class, Accounts.class, Mails.class, MailServer.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1",
                        TestApplication.JDBC_ONLY,
                        "spring.main.banner-mode=off",
                        "logging.level.root=ERROR")
                .run()) {
            JdbcClient database = context.getBean(JdbcClient.class);
            database.sql("create table account (name varchar(20), balance int)").update();
            database.sql("insert into account values ('alice', 0)").update();
            server = context.getBean(MailServer.class);
            Accounts accounts = context.getBean(Accounts.class);

            accounts.book("alice", 50);
            accounts.book("alice", 20);
            assertThatThrownBy(() -> accounts.book("nobody", 1)).isInstanceOf(EmptyResultDataAccessException.class);
        }
        assertThat(server.sent).containsExactly("alice: Your balance is 50", "alice: Your balance is 70");
    }
}
