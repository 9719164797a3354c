package io.orderedexecutor.sample.events;

import io.orderedexecutor.sample.accounts.Event;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Reads events one at a time from JSON objects that each begin on a line of their own. Keeps none of them, and no long
 * part of one, so the input may be of any length.
 *
 * <p>An event that is JSON and invalid is skipped. After one that is not JSON nothing more can be read, since its end
 * cannot be found.
 */
final class EventStream {
    private static final ObjectReader EVENTS = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(1000)
                            .maxNameLength(100)
                            .maxNumberLength(100)
                            .maxNestingDepth(20)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .build()
            .readerFor(EventInput.class);

    private final JsonParser parser;
    private final MappingIterator<EventInput> inputs;

    /** Where the event begins that was looked at last. */
    private int line;

    /** Where the event ends that was read last. */
    private int lastLine;

    EventStream(InputStream in) {
        parser = EVENTS.createParser(in);
        inputs = EVENTS.readValues(parser);
    }

    /**
     * Goes to the next event.
     *
     * @return whether there is one
     * @throws JacksonException if what comes next cannot be read, or is not JSON
     */
    boolean next() {
        line = lastLine + 1; // what is missing if reading fails
        try {
            if (!inputs.hasNextValue()) {
                return false;
            }
        } catch (StreamReadException e) {
            line = e.getLocation().getLineNr();
            throw e;
        }
        line = parser.currentTokenLocation().getLineNr();
        return true;
    }

    /** Tells whether the event begins on a line of its own, as it should. */
    boolean isOnNewLine() {
        return line > lastLine;
    }

    /** The line on which the event begins; if reading has failed between events, the line where. */
    int line() {
        return line;
    }

    /**
     * Reads the event.
     *
     * @throws InvalidEventException if it is JSON and not valid; the next event can be read
     * @throws JacksonException if it cannot be read to its end, or is not JSON
     */
    Event event() throws InvalidEventException {
        boolean isOnNewLine = isOnNewLine();
        boolean mayHaveManyLines = parser.currentToken().isStructStart();
        EventInput input = null;
        String wrongField = null;
        try {
            input = inputs.nextValue();
        } catch (DatabindException | InputCoercionException e) {
            wrongField = e.getPath().isEmpty() ? null : e.getPath().get(0).getPropertyName();
            skipRest();
        }
        lastLine = mayHaveManyLines ? parser.currentLocation().getLineNr() : line;
        if (!isOnNewLine) {
            throw invalid(null, "stands behind another event; give each a line of its own");
        }
        if (wrongField != null) {
            throw invalid(wrongField, EventInput.rule(wrongField));
        }
        if (input == null) {
            throw invalid(
                    null, "is not a JSON object such as {\"client\":\"alice\",\"type\":\"deposit\",\"amount\":5}");
        }
        return checked(input);
    }

    private void skipRest() {
        while (!parser.streamReadContext().inRoot()) {
            parser.nextToken();
        }
        parser.clearCurrentToken();
    }

    private Event checked(EventInput input) throws InvalidEventException {
        List<LineError> errors = new ArrayList<>();
        input.violations().forEach((field, rule) -> errors.add(new LineError(line, field, rule)));
        if (input.client() == null || input.type() == null || input.amount() == null || !errors.isEmpty()) {
            throw new InvalidEventException(errors);
        }
        return new Event(input.client(), input.type(), input.amount());
    }

    private InvalidEventException invalid(@Nullable String field, String reason) {
        String end = lastLine > line ? " (the event ends on line " + lastLine + ")" : "";
        return new InvalidEventException(List.of(new LineError(line, field, reason + end)));
    }

    /** Says where and why the input is not JSON, without what Jackson tells of its own settings. */
    LineError notJson(JacksonException e) {
        if (!(e instanceof StreamReadException)) {
            return new LineError(line, null, "has a name or value that is too long, or is nested too deeply");
        }
        TokenStreamLocation at = e.getLocation();
        String message = e.getOriginalMessage().split("[(:]", 2)[0].strip();
        return new LineError(
                line,
                null,
                "is not JSON: " + message + " near line " + at.getLineNr() + ", column " + at.getColumnNr());
    }

    /** The first line of what was not read. */
    int firstLineNotRead() {
        return Math.max(line, lastLine + 1);
    }
}
