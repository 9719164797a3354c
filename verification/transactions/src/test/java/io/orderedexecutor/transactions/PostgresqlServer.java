package io.orderedexecutor.transactions;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server with a directory of its own below the temporary one. It does not run as root, so there it is
 * started as the user that Debian's package has made.
 */
final class PostgresqlServer {
    static final String USER = "postgres";

    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private static @Nullable PostgresqlServer running;
    private static boolean isSearched;

    private final Path bin;
    private final Path data;
    private final int port;

    private PostgresqlServer(Path bin, Path data, int port) {
        this.bin = bin;
        this.data = data;
        this.port = port;
    }

    /** The server, which is started by the first call; null if there are no binaries. */
    static synchronized @Nullable PostgresqlServer running() {
        if (!isSearched) {
            isSearched = true;
            Path bin = findBinaries();
            if (bin != null) {
                running = start(bin);
            }
        }
        return running;
    }

    private static @Nullable Path findBinaries() {
        String given = System.getProperty("postgresql.bin", "");
        List<Path> candidates = new ArrayList<>();
        if (!given.isEmpty()) {
            candidates.add(Path.of(given));
        }
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            versions.sorted(Comparator.reverseOrder())
                    .map(version -> version.resolve("bin"))
                    .forEach(candidates::add);
        } catch (IOException notDebian) {
            // elsewhere it is found by the path
        }
        Arrays.stream(System.getenv("PATH").split(":", -1)).map(Path::of).forEach(candidates::add);
        return candidates.stream()
                .filter(bin -> Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("pg_ctl")))
                .findFirst()
                .orElse(null);
    }

    private static PostgresqlServer start(Path bin) {
        try {
            Path data = Path.of(run(List.of("mktemp", "-d", "-t", "ordered-executor-postgresql-XXXXXX"))
                    .strip());
            int port;
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            run(List.of(bin + "/initdb", "-D", data + "/data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"));
            PostgresqlServer server = new PostgresqlServer(bin, data, port);
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
            run(List.of(
                    bin + "/pg_ctl",
                    "-D",
                    data + "/data",
                    "-l",
                    data + "/log",
                    "-w",
                    "-o",
                    "-p " + port + " -k " + data + " -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
                            + " -c deadlock_timeout=100ms",
                    "start"));
            return server;
        } catch (IOException e) {
            throw new AssertionError("PostgreSQL is installed in " + bin + ", but does not start", e);
        }
    }

    private void stop() {
        try {
            run(List.of(bin + "/pg_ctl", "-D", data + "/data", "-m", "immediate", "stop"));
            run(List.of("rm", "-r", data.toString()));
        } catch (IOException e) {
            System.err.println("PostgreSQL in " + data + " was not stopped: " + e);
        }
    }

    String newDatabase() {
        String name = "test" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(url("postgres"), USER, "")) {
            connection.createStatement().execute("create database " + name);
        } catch (SQLException e) {
            throw new AssertionError("no new database", e);
        }
        return url(name) + "?options=-c%20lock_timeout=500ms";
    }

    private String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** Runs a command as the user of the server, and returns what it has printed. */
    private static String run(List<String> command) throws IOException {
        List<String> all = new ArrayList<>(IS_ROOT ? List.of("runuser", "-u", USER, "--") : List.of());
        all.addAll(command);
        Path output = Files.createTempFile("postgresql", ".out");
        try {
            // a file: the server would keep a pipe open
            Process process = new ProcessBuilder(all)
                    .directory(Path.of("/").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
            String printed = Files.readString(output, StandardCharsets.UTF_8);
            if (!hasEnded || process.exitValue() != 0) {
                throw new IOException(all + (hasEnded ? " failed: " : " has not ended: ") + printed);
            }
            return printed;
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        } finally {
            Files.delete(output);
        }
    }
}
