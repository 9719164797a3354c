package io.orderedexecutor.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Makes an event of its JSON, or tells everything that is wrong with it. */
final class EventParser {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** What can stand in a path as it is; in particular no slash, and not the dots that browsers resolve. */
    private static final Pattern CLIENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");

    /** What Jackson's messages tell about its reading, its classes and its settings. */
    private static final Pattern INSIDES =
            Pattern.compile(", from `[^`]*`| \\((?:start marker at|`).*", Pattern.DOTALL);

    private static final String CLIENT_RULE =
            "must be 1 to 64 letters, digits or any of . _ @ - that begin with a letter or a digit";
    private static final String COINS_RULE = "must be a whole number from 1 to " + Event.MAX_COINS;
    private static final Map<String, Event.Type> TYPES =
            Map.of("deposit", Event.Type.DEPOSIT, "withdrawal", Event.Type.WITHDRAWAL);

    private final long line;
    private final boolean manyLines;
    private final List<LineError> errors = new ArrayList<>();

    /**
     * Makes a parser of one event.
     *
     * @param line the number of its first line
     * @param manyLines whether it may have more; if not, what JSON takes for the end of a line is none
     */
    private EventParser(long line, boolean manyLines) {
        this.line = line;
        this.manyLines = manyLines;
    }

    /** Parses an event that names its client and is one line. */
    static Event parse(long line, String json) throws BadEventException {
        return new EventParser(line, false).event(json, null);
    }

    /** Parses an event of the given client, which does not name it and may have many lines. */
    static Event parse(long line, String json, String client) throws BadEventException {
        return new EventParser(line, true).event(json, client);
    }

    private Event event(String json, @Nullable String knownClient) throws BadEventException {
        JsonNode node = object(json);
        for (String field : node.propertyNames()) {
            switch (field) {
                case "type", "coins" -> {}
                case "client" -> {
                    if (knownClient != null) {
                        error(field, "is in the path already; leave the field out");
                    }
                }
                default -> error(shortened(field), "is no field of an event; leave it out or correct its name");
            }
        }
        String client = knownClient == null ? node.path("client").stringValue("") : knownClient;
        if (!CLIENT.matcher(client).matches()) {
            error("client", CLIENT_RULE);
        }
        Event.Type type = TYPES.get(node.path("type").stringValue(""));
        if (type == null) {
            error("type", "must be \"deposit\" or \"withdrawal\"");
        }
        JsonNode coins = node.path("coins");
        if (!coins.isInt() || coins.intValue() < 1 || coins.intValue() > Event.MAX_COINS) {
            error("coins", COINS_RULE);
        }
        if (type == null || !errors.isEmpty()) {
            throw new BadEventException(errors);
        }
        return new Event(client, type, coins.intValue());
    }

    private JsonNode object(String json) throws BadEventException {
        JsonNode node;
        try {
            node = JSON.readTree(json);
        } catch (JacksonException e) {
            throw notJson(e);
        }
        if (!node.isObject()) {
            throw new BadEventException(
                    lineOrNone(), null, "is not a JSON object; send one such as {\"type\":\"deposit\",\"coins\":5}");
        }
        return node;
    }

    /**
     * Says what Jackson says, without the part about its own reading. Input that is nested too deeply has no location.
     */
    private BadEventException notJson(JacksonException e) {
        TokenStreamLocation location = e.getLocation();
        long badLine = line;
        String column = "";
        if (location != null && manyLines) {
            badLine = line + location.getLineNr() - 1;
            column = ", look at column " + location.getColumnNr();
        } else if (location != null) {
            column = ", look at column " + (location.getCharOffset() + 1);
        }
        String message = INSIDES.matcher(e.getOriginalMessage()).replaceAll("");
        return new BadEventException(badLine, null, "is not JSON" + column + ": " + shortened(message));
    }

    private void error(String field, String reason) {
        errors.add(new LineError(lineOrNone(), field, reason));
    }

    /** Of an event that may have many lines, it is not known in which of them a field is. */
    private @Nullable Long lineOrNone() {
        return manyLines ? null : line;
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "…";
    }
}
