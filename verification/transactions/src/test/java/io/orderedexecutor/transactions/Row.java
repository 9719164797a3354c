package io.orderedexecutor.transactions;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;

/** A row, as JPA has it. */
@Entity
@Table(name = "row_of_test")
class Row {
    @Id
    int id;

    @Version
    int version;

    int changes;

    /** What a flush calls before it writes this object. */
    @Transient
    Runnable beforeUpdate = () -> {};

    @PreUpdate
    void callBeforeUpdate() {
        beforeUpdate.run();
    }
}
