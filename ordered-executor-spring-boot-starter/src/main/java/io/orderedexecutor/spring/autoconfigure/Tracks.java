package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Trace.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Assigns the entries of a {@link Trace} to processes and threads of the viewer, which are numbered and named in the
 * order in which they appear. An executor is a process. A key is a thread of this process; or several threads, since a
 * viewer cannot draw two slices of one thread that overlap. The writes to an ordered output have a thread of their own.
 */
final class Tracks {
    private final Shown shown;
    private final Map<String, Integer> executors = new LinkedHashMap<>();
    private final Map<List<Integer>, Key> keys = new LinkedHashMap<>();
    private final List<Entry> names = new ArrayList<>();
    private int threads;

    Tracks(Shown shown) {
        this.shown = shown;
    }

    /** The tracks of one key. */
    record Key(Lanes tasks, Lanes outputs) {}

    /** The threads of one track: as many as there are slices at the same time. */
    final class Lanes {
        private final int executor;
        private final String name;
        private final List<Lane> lanes = new ArrayList<>();

        private Lanes(int executor, String name) {
            this.executor = executor;
            this.name = name;
        }

        /** Returns the thread that shows a slice. Slices must be placed in the order in which they began. */
        int place(long began, long took) {
            Lane free =
                    lanes.stream().filter(lane -> lane.end <= began).findFirst().orElseGet(this::add);
            free.end = began + took;
            return free.thread;
        }

        /** Returns the thread that shows an event without a duration. */
        int first() {
            return (lanes.isEmpty() ? add() : lanes.get(0)).thread;
        }

        private Lane add() {
            Lane lane = new Lane(++threads);
            lanes.add(lane);
            String numbered = lanes.size() == 1 ? name : name + " (" + lanes.size() + ")";
            names.add(Entry.nameOf("thread_name", executor, lane.thread, numbered));
            return lane;
        }
    }

    private static final class Lane {
        final int thread;

        /** When the last slice that was placed here has ended. */
        long end = Long.MIN_VALUE;

        Lane(int thread) {
            this.thread = thread;
        }
    }

    /** Returns the names of all processes and threads that were assigned. */
    List<Entry> names() {
        return names;
    }

    int executor(String name) {
        Integer known = executors.get(name);
        if (known != null) {
            return known;
        }
        int number = executors.size() + 1;
        executors.put(name, number);
        names.add(Entry.nameOf("process_name", number, 0, name));
        return number;
    }

    Key key(int executor, RecordedEvent event) {
        List<Integer> id = List.of(executor, event.getInt("track"));
        Key known = keys.get(id);
        if (known != null) {
            return known;
        }
        String text = event.getString("key");
        String name = text == null || !shown.values() ? "key " + (keys.size() + 1) : shown.key(text);
        Key key = new Key(new Lanes(executor, name), new Lanes(executor, name + ", output"));
        keys.put(id, key);
        return key;
    }
}
