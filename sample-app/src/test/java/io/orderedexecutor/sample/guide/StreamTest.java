package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.OrderedOutputExecutor;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StreamTest {
    private static String thumbnail(int photo) {
        return "thumbnail " + photo;
    }

    @Test
    void resultsComeInTheOrderOfTheInputs() {
        List<String> written;
        try (OrderedOutputExecutor executor =
                OrderedOutputExecutor.builder().threads(8).window(64).build()) {
            Stream<Integer> photos = IntStream.range(0, 1000).boxed();
            // at most 64 photos are read ahead of the result that is written next
            try (Stream<String> thumbnails = executor.map(photos, StreamTest::thumbnail)) {
                written = thumbnails.toList();
            }
        }
        assertThat(written)
                .isEqualTo(
                        IntStream.range(0, 1000).mapToObj(StreamTest::thumbnail).toList());
    }
}
