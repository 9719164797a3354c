package io.orderedexecutor.spring.annotation;

import java.util.function.Predicate;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Walks a parsed expression and refuses parts that can never have a value: variables that are not parameters, beans
 * that do not exist, members that a final type does not have, and names that stand alone, which usually lack their
 * {@code #}: there is no root object whose properties they could be.
 */
final class KeyExpressionCheck {
    private final MethodParameters parameters;
    private final ExpressionTypes types;
    private final Predicate<String> beans;
    private final String declared;

    /**
     * @param types the known types of the expression
     * @param beans returns whether there is a bean of a name
     * @param declared the checked attribute and its method, for messages
     */
    KeyExpressionCheck(MethodParameters parameters, ExpressionTypes types, Predicate<String> beans, String declared) {
        this.parameters = parameters;
        this.types = types;
        this.beans = beans;
        this.declared = declared;
    }

    void check(SpelNode expression) {
        check(expression, false, false);
    }

    /**
     * @param hasSubject whether the node is applied to the value of the node before it, as {@code b} in {@code #a.b}
     * @param inElement whether the node is evaluated for each element of a collection, and so applies to the element
     */
    private void check(SpelNode node, boolean hasSubject, boolean inElement) {
        if (node instanceof FunctionReference) {
            throw unknown("the function " + node.toStringAST());
        }
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), inElement);
        }
        if (node instanceof BeanReference) {
            checkBean(node.toStringAST());
        }
        if (node instanceof CompoundExpression && !inElement) {
            types.of(node);
        }
        boolean nameAlone = !hasSubject && !inElement;
        if (nameAlone && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            throw unknown("'" + node.toStringAST() + "'");
        }
        boolean inner = inElement || node instanceof Projection || node instanceof Selection || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean isNameOfEntry =
                    node instanceof InlineMap && i % 2 == 0 && node.getChild(i) instanceof PropertyOrFieldReference;
            if (isNameOfEntry) {
                continue;
            }
            check(node.getChild(i), node instanceof CompoundExpression && i > 0, inner);
        }
    }

    private void checkVariable(String name, boolean inElement) {
        boolean ofSpel = name.equals("root") || (name.equals("this") && !inElement);
        int position = parameters.positionOf(name);
        if (ofSpel && position >= 0) {
            throw new InvalidOrderedAsyncException(
                    declared + ", in which #" + name + " is SpEL's own and not the parameter of that name",
                    "Use #p" + position + ", or rename the parameter.");
        }
        if (position < 0 && !(inElement && (name.equals("this") || name.equals("root")))) {
            throw unknown("the variable #" + name);
        }
    }

    /** @param reference {@code @name}, or {@code @'a.name'}, or the same with {@code &} for a factory bean */
    private void checkBean(String reference) {
        String name = reference.replaceFirst("^@", "").replace("'", "");
        if (!beans.test(name)) {
            throw new InvalidOrderedAsyncException(
                    inWhich("the bean " + reference), "Define a bean named " + name + ", or correct the name.");
        }
    }

    private String inWhich(String what) {
        return declared + ", in which " + what + " is unknown";
    }

    private InvalidOrderedAsyncException unknown(String what) {
        String known = parameters.listed().isEmpty()
                ? "The method has no parameters, so the expression can only be a constant such as \"'all'\" or "
                        + "the value of"
                        + " a bean."
                : "Use one of " + parameters.listed() + ".";
        String names = parameters.haveNames()
                ? ""
                : " The names of the parameters are unknown: compile with -parameters, or use their positions.";
        return new InvalidOrderedAsyncException(inWhich(what), known + names);
    }
}
