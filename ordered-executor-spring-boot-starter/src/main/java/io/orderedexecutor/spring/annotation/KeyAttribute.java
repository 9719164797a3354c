package io.orderedexecutor.spring.annotation;

/** An attribute of the annotation whose expression finds keys, and its name in messages. */
enum KeyAttribute {
    STRIPE("stripe", "is", "stripe", "#%s"),
    GROUPS("groups", "are", "groups", "{#%s}"),
    SHARED("shared groups", "are", "shared", "{#%s}");

    private final String noun;
    private final String verb;
    private final String name;
    private final String example;

    KeyAttribute(String noun, String verb, String name, String example) {
        this.noun = noun;
        this.verb = verb;
        this.name = name;
        this.example = example;
    }

    /** Returns the declared value as part of a sentence. */
    String of(String text) {
        return noun + " \"" + text + "\"";
    }

    /** Returns {@code is} or {@code are}. */
    String verb() {
        return verb;
    }

    /** Returns the attribute as it is written in code, with the parameter as its value. */
    String example(String parameter) {
        return name + " = \"" + example.formatted(parameter) + "\"";
    }

    @Override
    public String toString() {
        return name;
    }
}
