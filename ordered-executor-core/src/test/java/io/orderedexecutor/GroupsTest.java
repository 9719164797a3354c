package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;

/** What groups say of themselves. */
class GroupsTest {
    private static final GroupPath FOLDER = GroupPath.of("disk", "folder");

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
    void groupsTouchWhatIsAboveAndBelow() {
        Groups groups = Groups.exclusive(FOLDER);
        assertThat(groups.touch("disk")).isTrue();
        assertThat(groups.touch(FOLDER)).isTrue();
        assertThat(groups.touch(FOLDER.child("file"))).isTrue();
        assertThat(groups.touch(GroupPath.of("disk", "other"))).isFalse();
        assertThat(groups.touch("folder")).isFalse();
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
    void pathsAreEqualIfTheirElementsAreTheSameInTheSameOrder() {
        GroupPath same = GroupPath.of("disk").child("folder");
        assertThat(FOLDER)
                .isEqualTo(same)
                .hasSameHashCodeAs(same)
                .hasToString("disk/folder")
                .isNotEqualTo(GroupPath.of("folder", "disk"))
                .isNotEqualTo(GroupPath.of("disk"))
                .isNotEqualTo(FOLDER.child("file"))
                .isNotEqualTo("disk/folder");
        assertThat(GroupPath.of("disk")).hasToString("disk").doesNotHaveSameHashCodeAs(FOLDER);
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
