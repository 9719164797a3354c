package io.orderedexecutor.kafka;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What several processes have done, in one file to which all of them append. The order of its lines is the order of the
 * writes, across processes; a process that is killed leaves every line that it has written. Lines have one length,
 * which divides a page, so that a kill cannot tear one.
 */
final class Journal implements AutoCloseable {
    private static final int LENGTH = 64;

    private final Path file;

    // not a channel, which an interrupt of a listener would close
    private final FileOutputStream out;

    /** What can happen to a record, or to a process. */
    enum Kind {
        START,
        END,
        FAIL,
        /** The process is dead: nothing of it runs any more. */
        GONE
    }

    /**
     * One line.
     *
     * @param nanos by {@link System#nanoTime()}: on Linux one clock for all processes
     */
    record Event(String process, Kind kind, String key, int number, int partition, long offset, long nanos) {
        static Event gone(String process) {
            return new Event(process, Kind.GONE, "-", 0, 0, 0, System.nanoTime());
        }
    }

    Journal(Path file) throws IOException {
        this.file = file;
        this.out = new FileOutputStream(file.toFile(), true);
    }

    Path file() {
        return file;
    }

    /** Any thread, any process. */
    void append(Event event) {
        String line = String.join(
                " ",
                event.process(),
                event.kind().name(),
                event.key(),
                Integer.toString(event.number()),
                Integer.toString(event.partition()),
                Long.toString(event.offset()),
                Long.toString(event.nanos()));
        byte[] bytes = new byte[LENGTH];
        Arrays.fill(bytes, (byte) ' ');
        byte[] text = line.getBytes(StandardCharsets.US_ASCII);
        if (text.length >= LENGTH) {
            throw new IllegalArgumentException("too long: " + line);
        }
        System.arraycopy(text, 0, bytes, 0, text.length);
        bytes[LENGTH - 1] = '\n';
        try {
            // one write: appended in one piece
            out.write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How many lines there are. */
    long size() throws IOException {
        return Files.size(file) / LENGTH;
    }

    List<Event> read() throws IOException {
        List<Event> events = new ArrayList<>();
        for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
            String[] parts = line.trim().split(" ", -1);
            events.add(new Event(
                    parts[0],
                    Kind.valueOf(parts[1]),
                    parts[2],
                    Integer.parseInt(parts[3]),
                    Integer.parseInt(parts[4]),
                    Long.parseLong(parts[5]),
                    Long.parseLong(parts[6])));
        }
        return events;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
