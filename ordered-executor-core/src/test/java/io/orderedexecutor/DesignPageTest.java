package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The walks of docs/maintainers/design.md name the packages in which their types are. */
class DesignPageTest {
    /** A step of a walk: the package, what happens, the types. */
    private static final Pattern STEP =
            Pattern.compile("(?m)^\\| (API|[a-z]+) \\| .+ \\| (`[\\w.]+`(?:, `[\\w.]+`)*) \\|$");

    private static final Pattern TYPE = Pattern.compile("`([\\w.]+)`");

    @Test
    void eachTypeIsInThePackageThatThePageNames() throws IOException {
        String page = Files.readString(Path.of("../docs/maintainers/design.md"));
        List<MatchResult> steps = STEP.matcher(page).results().toList();
        assertThat(steps).hasSizeGreaterThan(15).allSatisfy(step -> {
            String walked = step.group(1).equals("API") ? "" : ".engine." + step.group(1);
            for (MatchResult type : TYPE.matcher(step.group(2)).results().toList()) {
                assertThatCode(() -> Class.forName("io.orderedexecutor" + walked + "."
                                + type.group(1).replace('.', '$')))
                        .as(step.group())
                        .doesNotThrowAnyException();
            }
        });
    }
}
