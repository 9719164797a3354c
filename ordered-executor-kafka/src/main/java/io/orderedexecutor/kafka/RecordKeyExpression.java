package io.orderedexecutor.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The expression of {@link OrderedByKey#key}. It is parsed and checked once: SpEL would evaluate a misspelt variable to
 * null.
 */
final class RecordKeyExpression implements Function<ConsumerRecord<?, ?>, @Nullable Object> {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Set<String> VARIABLES = Set.of("record", "key", "value", "headers");

    private final Expression expression;
    private final boolean wantsHeaders;

    private RecordKeyExpression(Expression expression, boolean wantsHeaders) {
        this.expression = expression;
        this.wantsHeaders = wantsHeaders;
    }

    /**
     * Parses an expression.
     *
     * @param where how a message names the listener
     * @throws InvalidOrderedListenerException if it is wrong
     */
    static RecordKeyExpression of(String text, String where) {
        SpelExpression parsed;
        try {
            parsed = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new InvalidOrderedListenerException(
                    where + " has the key \"" + text + "\", which is no valid SpEL expression (" + e.getMessage() + ")",
                    "Correct it, to \"#value.customer\" for instance, or leave it out for the record's key.",
                    e);
        }
        Set<String> used = new TreeSet<>();
        collect(parsed.getAST(), used);
        for (String variable : used) {
            if (!VARIABLES.contains(variable)) {
                throw new InvalidOrderedListenerException(
                        where + " has the key \"" + text + "\", in which #" + variable + " is unknown",
                        "There are #record, #key, #value and #headers.");
            }
        }
        if (used.isEmpty()) {
            throw new InvalidOrderedListenerException(
                    where + " has the key \"" + text + "\", which is the same for every record",
                    "Use #record, #key, #value or #headers in it. For one order of all records, use a plain listener.");
        }
        return new RecordKeyExpression(parsed, used.contains("headers"));
    }

    private static void collect(SpelNode node, Set<String> variables) {
        if (node instanceof VariableReference variable) {
            String name = variable.toStringAST().substring(1);
            // these two are for selections and projections
            if (!name.equals("this") && !name.equals("root")) {
                variables.add(name);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), variables);
        }
    }

    @Override
    public @Nullable Object apply(ConsumerRecord<?, ?> record) {
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setVariable("record", record);
        context.setVariable("key", record.key());
        context.setVariable("value", record.value());
        if (wantsHeaders) {
            Map<String, byte @Nullable []> headers = new HashMap<>();
            for (Header header : record.headers()) {
                headers.put(header.key(), header.value());
            }
            context.setVariable("headers", headers);
        }
        return expression.getValue(context);
    }
}
