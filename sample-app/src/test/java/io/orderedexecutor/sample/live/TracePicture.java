package io.orderedexecutor.sample.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.web.util.HtmlUtils;
import tools.jackson.databind.JsonNode;

/**
 * Draws a trace in Chrome's format as its viewers do: a track for each thread, slices with their names, a time axis.
 */
final class TracePicture {
    private static final int WIDTH = 1200;
    private static final int LABELS = 190;
    private static final int ROW = 19;
    private static final int AXIS = 24;
    private static final double CHARACTER = 6.1;
    private static final List<String> COLORS =
            List.of("#0969da", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#57606a");

    private final StringBuilder shapes = new StringBuilder();
    private final Map<String, String> names = new HashMap<>();
    private final Map<Integer, Map<Integer, List<JsonNode>>> entries = new TreeMap<>();
    private long first = Long.MAX_VALUE;
    private long last;

    private TracePicture(JsonNode trace) {
        for (JsonNode entry : trace.get("traceEvents")) {
            int process = entry.get("pid").asInt();
            int thread = entry.get("tid").asInt();
            if (entry.get("ph").asString().equals("M")) {
                names.put(process + "/" + thread, entry.at("/args/name").asString());
                continue;
            }
            entries.computeIfAbsent(process, number -> new TreeMap<>())
                    .computeIfAbsent(thread, number -> new ArrayList<>())
                    .add(entry);
            first = Math.min(first, entry.get("ts").asLong());
            last = Math.max(last, entry.get("ts").asLong() + entry.path("dur").asLong(0));
        }
    }

    static String of(JsonNode trace) {
        return new TracePicture(trace).draw();
    }

    private String draw() {
        int y = AXIS;
        for (Map.Entry<Integer, Map<Integer, List<JsonNode>>> process : entries.entrySet()) {
            add("<text x='6' y='%d' font-weight='bold'>%s</text>", y + 14, nameOf(process.getKey(), 0));
            y += ROW;
            for (Map.Entry<Integer, List<JsonNode>> thread : process.getValue().entrySet()) {
                add(
                        "<text x='18' y='%d'>%s</text>",
                        y + 14, cut(nameOf(process.getKey(), thread.getKey()), LABELS - 20));
                add("<path d='M%d %d.5H%d' stroke='#d1d9e0'/>", LABELS, y + ROW - 1, WIDTH);
                for (JsonNode entry : thread.getValue()) {
                    draw(entry, y, COLORS.get(thread.getKey() % COLORS.size()));
                }
                y += ROW;
            }
        }
        for (int second = 0; second * 1_000_000L <= last - first; second++) {
            double x = x(first + second * 1_000_000L);
            add(
                    "<path d='M%.1f %dV%d' stroke='#d1d9e0'/><text x='%.1f' y='14' fill='#59636e'>%d s</text>",
                    x, AXIS - 6, y, x, second);
        }
        return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='system-ui, sans-serif' font-size='11'>%n<rect width='100%%' height='100%%' fill='#fff'/>%n"
                        .formatted(WIDTH, y + 6)
                + shapes + "</svg>\n";
    }

    private void draw(JsonNode entry, int y, String color) {
        double x = x(entry.get("ts").asLong());
        String name = entry.get("name").asString();
        if (entry.get("ph").asString().equals("i")) {
            add(
                    "<path d='M%.1f %dl5 14h-10z' fill='#cf222e'/><text x='%.1f' y='%d' fill='#cf222e'>%s</text>",
                    x, y + 2, x + 8, y + 14, name);
            return;
        }
        double width = Math.max(x(entry.get("ts").asLong() + entry.get("dur").asLong()) - x - 0.5, 1);
        add("<rect x='%.1f' y='%d' width='%.1f' height='%d' rx='2' fill='%s'/>", x, y + 2, width, ROW - 5, color);
        String text = cut(name, width - 6);
        if (!text.isEmpty()) {
            add("<text x='%.1f' y='%d' fill='#fff'>%s</text>", x + 3, y + 13, text);
        }
    }

    private double x(long micros) {
        return LABELS + (WIDTH - LABELS - 20.0) * (micros - first) / (last - first);
    }

    private String nameOf(int process, int thread) {
        return names.getOrDefault(process + "/" + thread, "");
    }

    /** As much of a text as there is room for; nothing if that is next to nothing. */
    private static String cut(String text, double width) {
        int most = (int) (width / CHARACTER);
        return text.length() <= most ? text : most < 4 ? "" : text.substring(0, most - 1) + "…";
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation would be one more dependency
    private void add(String format, Object... values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] instanceof String text ? HtmlUtils.htmlEscape(text, "UTF-8") : values[i];
        }
        shapes.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
