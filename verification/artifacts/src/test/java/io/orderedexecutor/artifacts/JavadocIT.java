package io.orderedexecutor.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What the Javadoc of each published module shows, and what it keeps to itself. */
class JavadocIT {
    /** How a type is declared: that of an auto-configuration names the classes that it imports. */
    private static final Pattern ANNOTATIONS =
            Pattern.compile("<span class=\"annotations\">.*?</span>", Pattern.DOTALL);

    private static final Pattern TAG = Pattern.compile("<[^>]*>");
    private static final Pattern NAME = Pattern.compile("\\b\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*");

    /** Two words or more in one: no English word. */
    private static final Pattern COMPOUND = Pattern.compile("\\p{Lu}\\w*\\p{Ll}\\w*\\p{Lu}\\w*");

    static final List<Module> MODULES = Module.withJars();

    @ParameterizedTest
    @FieldSource("MODULES")
    void hasAPageForEachPublicType(Module module) {
        Set<String> pages = Module.entries(module.javadoc());
        List<JavaClass> shown =
                module.classes().stream().filter(type -> isShown(module, type)).toList();
        assertThat(shown)
                .isNotEmpty()
                .allSatisfy(type -> assertThat(pages)
                        .anyMatch(page -> page.endsWith(type.getPackageName().replace('.', '/')
                                + "/"
                                + type.getName()
                                        .substring(type.getPackageName().length() + 1)
                                        .replace('$', '.')
                                + ".html")));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void namesNoTypeThatIsHidden(Module module) {
        Set<String> shown = MODULES.stream()
                .flatMap(other -> other.classes().stream().filter(type -> isShown(other, type)))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
        Set<String> hidden = module.classes().stream()
                .filter(type -> !isShown(module, type))
                .map(JavaClass::getSimpleName)
                .filter(name -> COMPOUND.matcher(name).matches())
                .filter(name -> !shown.contains(name))
                .collect(Collectors.toSet());
        assertThat(hidden).isNotEmpty();

        Set<String> named = new TreeSet<>();
        for (String page : Module.entries(module.javadoc())) {
            if (page.endsWith(".html")) {
                String text = Module.text(module.javadoc(), page);
                Matcher names = NAME.matcher(words(namesItsParts(page) ? withoutAnnotations(text) : text));
                while (names.find()) {
                    if (hidden.contains(names.group())) {
                        named.add(names.group() + " in " + page);
                    }
                }
            }
        }
        assertThat(named).isEmpty();
    }

    /** Annotations and auto-configurations have annotations that name what does the work. */
    private static boolean namesItsParts(String page) {
        return page.endsWith("AutoConfiguration.html")
                || page.endsWith("/SimulationTest.html")
                || page.endsWith("/AutoConfigureOrderedExecutors.html");
    }

    private static String withoutAnnotations(String page) {
        return ANNOTATIONS.matcher(page).replaceAll(" ");
    }

    private static String words(String page) {
        return TAG.matcher(page).replaceAll(" ");
    }

    /** Whether a type and all that it is in are public, in a package that its module exports. */
    private static boolean isShown(Module module, JavaClass type) {
        return !type.getName().endsWith("-info")
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (type.getModifiers().contains(JavaModifier.PUBLIC)
                        || type.getModifiers().contains(JavaModifier.PROTECTED))
                && type.getEnclosingClass().map(outer -> isShown(module, outer)).orElse(true)
                && isExported(module, type);
    }

    /** What the engine is made of is public to the rest of the module, and to no one else. */
    private static boolean isExported(Module module, JavaClass type) {
        return !module.name().equals("ordered-executor-core")
                || !type.getPackageName().contains(".engine");
    }

    @Test
    void theOverviewHasATableOfAllExecutors() {
        Module core = new Module(Module.ROOT.resolve("ordered-executor-core"));
        List<String> executors = core.classes().stream()
                .filter(type -> isShown(core, type) && !type.isInterface())
                .map(JavaClass::getSimpleName)
                .filter(name -> name.endsWith("Executor") || name.endsWith("Sequencer"))
                .toList();
        assertThat(executors).contains("StripedExecutor", "TicketSequencer");

        String overview = Module.text(core.javadoc(), "index.html");
        String table = overview.substring(overview.indexOf("<table"), overview.indexOf("</table>"));
        assertThat(executors).allSatisfy(name -> assertThat(table).contains(">" + name + "</code></a>"));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void linksToTheJavadocOfTheJdk(Module module) {
        assertThat(Module.entries(module.javadoc()))
                .filteredOn(page -> page.endsWith(".html"))
                .anySatisfy(page -> assertThat(Module.text(module.javadoc(), page))
                        .contains("href=\"https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/"));
    }
}
