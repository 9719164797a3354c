package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.FaultRig;
import io.orderedexecutor.fixtures.FaultRig.Fault;
import io.orderedexecutor.fixtures.FaultSubject;
import io.orderedexecutor.fixtures.FaultSubject.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every operation with every fault: each has an end, the next task of the key runs as if nothing had happened, and the
 * executor terminates. The ends are the table in docs/maintainers/evidence.md, which is what was observed here.
 */
@Tag("no-second-try")
class FaultMatrixTest {
    private static final Path PAGE = Path.of("../docs/maintainers/evidence.md");

    @Test
    @DisplayName("each fault in each operation ends as evidence.md says, and the next task runs")
    void eachFaultEndsAsThePageSays() throws IOException {
        StringBuilder table = new StringBuilder("| fault |");
        Arrays.stream(Operation.values())
                .forEach(
                        operation -> table.append(' ').append(operation.title()).append(" |"));
        table.append("\n|").append("---|".repeat(1 + Operation.values().length));
        for (Fault fault : Fault.values()) {
            table.append("\n| ").append(fault.title()).append(" | ");
            table.append(Arrays.stream(Operation.values())
                    .map(operation -> endOf(operation, fault))
                    .collect(Collectors.joining(" | ")));
            table.append(" |");
        }
        assertThat(Files.readString(PAGE))
                .as("the page has another table than the following, which is what happens:\n%s\n", table)
                .contains(table);
    }

    private static String endOf(Operation operation, Fault fault) {
        if (!operation.canHave(fault)) {
            return "–";
        }
        try (FaultRig rig = new FaultRig(fault)) {
            return rig.observe(FaultSubject.of(operation, rig));
        } catch (AssertionError wrong) {
            throw new AssertionError(operation + " with " + fault + ": " + wrong.getMessage(), wrong);
        }
    }
}
