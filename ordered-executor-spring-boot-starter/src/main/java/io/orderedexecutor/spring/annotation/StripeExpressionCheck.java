package io.orderedexecutor.spring.annotation;

import java.util.Set;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Walks a parsed expression and refuses what can never have a value: variables that are no parameter, and names that stand
 * alone, which most often lack their {@code #}. There is no root object that they could be properties of.
 */
final class StripeExpressionCheck {
    private final Set<String> variables;
    private final boolean namesKnown;
    private final String where;
    private final String text;

    private StripeExpressionCheck(Set<String> variables, boolean namesKnown, String where, String text) {
        this.variables = variables;
        this.namesKnown = namesKnown;
        this.where = where;
        this.text = text;
    }

    static StripeExpressionCheck of(Set<String> variables, boolean namesKnown, String where, String text) {
        return new StripeExpressionCheck(variables, namesKnown, where, text);
    }

    void check(SpelNode expression) {
        check(expression, false, false);
    }

    /**
     * @param hasSubject whether the node is applied to the value of the one before it, as {@code b} in {@code #a.b}
     * @param inElement whether the node is evaluated for each element of a collection, which then is what it is applied to
     */
    private void check(SpelNode node, boolean hasSubject, boolean inElement) {
        if (node instanceof FunctionReference) {
            throw unknown("the function " + node.toStringAST());
        }
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), inElement);
        }
        boolean nameAlone = !hasSubject && !inElement;
        if (nameAlone && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw unknown("'" + node.toStringAST() + "'");
        }
        boolean inner = inElement || node instanceof Projection || node instanceof Selection || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i), node instanceof CompoundExpression && i > 0, inner);
        }
    }

    private void checkVariable(String name, boolean inElement) {
        if (!variables.contains(name) && !(inElement && (name.equals("this") || name.equals("root")))) {
            throw unknown("the variable #" + name);
        }
    }

    private InvalidOrderedAsyncException unknown(String what) {
        String known = variables.isEmpty()
                ? "The method has no parameters, so a stripe can only be a constant such as \"'all'\" or the value of a bean."
                : "Use one of #" + String.join(", #", variables) + ".";
        String names = namesKnown
                ? ""
                : " The names of the parameters are unknown: compile with -parameters, or use their positions.";
        return new InvalidOrderedAsyncException(
                where + " has the stripe \"" + text + "\", in which " + what + " is unknown", known + names);
    }
}
