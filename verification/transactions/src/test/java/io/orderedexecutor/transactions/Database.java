package io.orderedexecutor.transactions;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;

/** A database that tests run on. */
enum Database {
    H2 {
        @Override
        String url() {
            return "jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=200";
        }
    },
    /** A server of its own, which is started for the first test; skipped where there are no binaries. */
    POSTGRESQL {
        @Override
        String url() {
            PostgresqlServer server = PostgresqlServer.running();
            if (server == null) {
                String why =
                        "PostgreSQL is not installed: tests on it are SKIPPED. Install Debian's package postgresql,"
                                + " or set -Dpostgresql.bin to the directory of initdb and pg_ctl";
                System.err.println(why);
                // where it has to be there, a skipped test is a failure
                if (Boolean.getBoolean("postgresql.required")) {
                    throw new AssertionError(why);
                }
                assumeTrue(false, why);
            }
            return server.newDatabase();
        }
    };

    /** The URL of a new database. */
    abstract String url();

    @Nullable
    String user() {
        return this == H2 ? "sa" : PostgresqlServer.USER;
    }
}
