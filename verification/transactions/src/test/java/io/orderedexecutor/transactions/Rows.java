package io.orderedexecutor.transactions;

import jakarta.persistence.EntityManager;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;

/** Changes rows in the current transaction, and publishes that. */
class Rows {
    private final JdbcTemplate jdbc;
    private final ObjectProvider<EntityManager> entityManager;
    private final ApplicationEventPublisher events;

    Rows(JdbcTemplate jdbc, ObjectProvider<EntityManager> entityManager, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.entityManager = entityManager;
        this.events = events;
    }

    void create(int count) {
        // JPA has created it, where there is JPA
        jdbc.execute("create table if not exists row_of_test"
                + " (id int primary key, version int not null, changes int not null)");
        for (int id = 0; id < count; id++) {
            jdbc.update("insert into row_of_test (id, version, changes) values (?, 0, 0)", id);
        }
    }

    /** Writes, and thereby locks, at once. */
    void changeByJdbc(int id) {
        jdbc.update("update row_of_test set version = version + 1, changes = changes + 1 where id = ?", id);
        events.publishEvent(new Changed(id, version(id)));
    }

    /** Writes when the transaction commits, or when it flushes. */
    void changeByJpa(int id) {
        Row row = entityManager.getObject().find(Row.class, id);
        row.changes++;
        events.publishEvent(new Changed(id, row.version + 1));
    }

    int version(int id) {
        Integer version = jdbc.queryForObject("select version from row_of_test where id = ?", Integer.class, id);
        return version == null ? -1 : version;
    }
}
