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
}
