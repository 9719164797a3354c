package io.orderedexecutor.engine.striped;

import io.orderedexecutor.FewStripes;
import java.util.HashSet;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** The table of stripes is a set. Each stripe is added once, and removed by one thread, as in the executor. */
@Param(name = "stripe", gen = IntGen.class, conf = "0:3")
public class LinearTable {
    private final FewStripes table = new FewStripes();
    private final Stripe[] stripes = {
        FewStripes.stripe("0"), FewStripes.stripe("1"), FewStripes.stripe("2"), FewStripes.stripe("3")
    };

    public LinearTable() {
        table.addStripe(stripes[0]);
        table.addStripe(stripes[1]);
    }

    @Operation(runOnce = true)
    public boolean addTwo() {
        return table.addStripe(stripes[2]);
    }

    @Operation(runOnce = true)
    public boolean addThree() {
        return table.addStripe(stripes[3]);
    }

    @Operation(runOnce = true)
    public void removeZero() {
        table.remove(stripes[0]);
    }

    @Operation(runOnce = true)
    public void removeOne() {
        table.remove(stripes[1]);
    }

    @Operation
    public boolean contains(@Param(name = "stripe") int number) {
        return table.strands().contains(stripes[number]);
    }

    /** What it should be. */
    public static class Specification {
        private final Set<Integer> stripes = new HashSet<>(Set.of(0, 1));

        public boolean addTwo() {
            return stripes.add(2);
        }

        public boolean addThree() {
            return stripes.add(3);
        }

        public void removeZero() {
            stripes.remove(0);
        }

        public void removeOne() {
            stripes.remove(1);
        }

        public boolean contains(int number) {
            return stripes.contains(number);
        }
    }
}
