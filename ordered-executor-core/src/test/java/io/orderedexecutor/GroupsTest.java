package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What groups say of themselves. */
class GroupsTest {
    private static final Key FOLDER = Key.of("disk", "folder");

    @Test
    void groupsTouchWhatTheyHaveInEitherMode() {
        Groups groups = Groups.exclusive("a").andShared("b", 3);
        assertThat(groups.touch("a")).isTrue();
        assertThat(groups.touch("b")).isTrue();
        assertThat(groups.touch(3)).isTrue();
        assertThat(groups.touch("3")).isFalse();
        assertThat(groups.touch("c")).isFalse();
    }

    @Test
    @DisplayName("what is within another group touches that group, and nothing else")
    void within() {
        Groups groups = Groups.within("disk", "folder");
        assertThat(groups.exclusiveGroups()).containsExactly(FOLDER);
        assertThat(groups.sharedGroups()).isEmpty();
        assertThat(groups.groupsAround()).containsExactly("disk");
        assertThat(groups).hasToString("disk/folder").isNotEqualTo(Groups.exclusive(FOLDER));
        assertThat(groups.touch("disk")).isTrue();
        assertThat(groups.touch(FOLDER)).isTrue();
        assertThat(groups.touch(Key.of(FOLDER, "file"))).isFalse();
        assertThat(groups.touch(Key.of("disk", "other"))).isFalse();
        assertThat(groups.touch("folder")).isFalse();
    }

    @Test
    @DisplayName("all groups around one are shared, each once; one that is named is what it is named")
    void around() {
        Groups file = Groups.within(FOLDER, "file");
        assertThat(file.groupsAround()).containsExactlyInAnyOrder("disk", FOLDER);
        Groups both = file.andWithin("disk", "other").andExclusive(FOLDER).andShared("disk");
        assertThat(both.exclusiveGroups())
                .containsExactlyInAnyOrder(Key.of(FOLDER, "file"), Key.of("disk", "other"), FOLDER);
        assertThat(both.sharedGroups()).containsExactly("disk");
        assertThat(both.groupsAround()).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> Groups.within("disk", null));
        assertThatNullPointerException().isThrownBy(() -> Groups.within(null, "folder"));
    }

    @Test
    void groupsAreNoGroup() {
        Groups groups = Groups.exclusive("a", "b");
        for (ThrowingCallable naming : List.<ThrowingCallable>of(
                () -> Groups.exclusive(groups),
                () -> Groups.exclusive("x", groups),
                () -> Groups.shared("x", "y", groups),
                () -> groups.andExclusive(groups),
                () -> groups.andShared("x", groups),
                () -> Groups.within(groups, "x"),
                () -> Groups.within("x", groups),
                () -> groups.andWithin(groups, "x"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(naming)
                    .withMessage("Groups [a, b] are not a group; name each of them");
        }
        assertThat(Groups.exclusive(List.of("a", "b")).exclusiveGroups()).containsExactly(List.of("a", "b"));
    }

    @Test
    void nullsAreNamed() {
        assertThatNullPointerException()
                .isThrownBy(() -> Groups.within(null, "a"))
                .withMessage("outer");
        assertThatNullPointerException()
                .isThrownBy(() -> Groups.exclusive("a").andWithin("disk", null))
                .withMessage("inner");
        assertThatNullPointerException()
                .isThrownBy(() -> Groups.exclusive("a", "b", null))
                .withMessage("group");
    }

    @Test
    void aBarrierTouchesAll() {
        assertThat(Groups.all().touch("a")).isTrue();
        assertThat(Groups.allShared().touch(FOLDER)).isTrue();
        assertThatNullPointerException()
                .isThrownBy(() -> Groups.all().touch(null))
                .withMessageContaining("group");
    }

    @Test
    void groupsAreEqualIfTheyAreTheSameInTheSameModes() {
        Groups groups = Groups.exclusive("a", "b").andShared("c", "d");
        Groups same = Groups.exclusive("b", "a").andShared("d", "c");
        assertThat(groups)
                .isEqualTo(same)
                .hasSameHashCodeAs(same)
                .hasToString("a, b, shared c, shared d")
                .isNotEqualTo(Groups.exclusive("c", "d").andShared("a", "b"))
                .isNotEqualTo(Groups.exclusive("a", "b"))
                .isNotEqualTo(Groups.exclusive("a", "x").andShared("c", "d"))
                .isNotEqualTo(Groups.exclusive("a", "b").andShared("c", "x"))
                .isNotEqualTo(Groups.exclusive("a", "b").andShared("c"));
        assertThat(Groups.all())
                .isNotEqualTo(Groups.allShared())
                .doesNotHaveSameHashCodeAs(Groups.allShared())
                .hasToString("all groups");
        assertThat(Groups.allShared()).hasToString("shared all groups");
        assertThat(Groups.allShared().areAllShared()).isTrue();
        assertThat(groups.areAllShared()).isFalse();
    }

    @Test
    void aGroupThatIsExclusiveIsNotSharedAsWell() {
        assertThat(Groups.exclusive("a").andShared("a", "b").sharedGroups()).containsExactly("b");
    }

    @Test
    void aGroupThatIsSharedIsExclusiveIfThatIsAsked() {
        Groups groups = Groups.shared("a", "b", "a").andExclusive("b", "c");
        assertThat(groups.exclusiveGroups()).containsExactly("b", "c");
        assertThat(groups.sharedGroups()).containsExactly("a");
    }

    @Test
    void keysAreEqualIfSpaceAndValueAre() {
        Key same = Key.of("disk", "folder");
        assertThat(FOLDER)
                .isEqualTo(same)
                .hasSameHashCodeAs(same)
                .hasToString("disk/folder")
                .isNotEqualTo(Key.of("folder", "disk"))
                .isNotEqualTo(Key.of(FOLDER, "file"))
                .isNotEqualTo("disk/folder");
    }

    @Test
    void aGroupThatCannotBePrintedIsShownByItsClass() {
        Object unprintable = new Unprintable();
        assertThat(Groups.exclusive("a", unprintable)).hasToString("a, " + Unprintable.class.getName());
    }

    private static final class Unprintable {
        @Override
        public String toString() {
            throw new IllegalStateException("no text, says the test");
        }
    }
}
