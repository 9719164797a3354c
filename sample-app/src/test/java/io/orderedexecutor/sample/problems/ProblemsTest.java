package io.orderedexecutor.sample.problems;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.sample.fixtures.Http;
import io.orderedexecutor.sample.fixtures.SampleTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Requests that cannot be answered as they are meant. */
@SampleTest
class ProblemsTest {

    @Autowired
    Http http;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    /clients/unknown/events           | 404 | There is no account of this client. Post an event of the client to /events.
                    /unordered/clients/unknown/events | 404 | There is no account of this client. Post an event of the client to /unordered/events.
                    /clients/unknown/events?wait=long | 400 | 'wait' cannot be 'long'. Durations are such as 5s or 500ms, all others are whole numbers.
                    /clients/unknown/events?wait=1m   | 400 | 'wait' must be from 0s to 20s.
                    /clients/unknown/events?wait=-1s  | 400 | 'wait' must be from 0s to 20s.
                    /report?rows=many                 | 400 | 'rows' cannot be 'many'. Durations are such as 5s or 500ms, all others are whole numbers.
                    /nothing                          | 404 | No static resource nothing.
                    /events                           | 405 | Method 'GET' is not supported.
                    """)
    void requestThatCannotBeAnsweredIsProblemThatSaysWhy(String path, int status, String detail) {
        Http.Answer answer = http.get(path);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.number("status")).isEqualTo(status);
        assertThat(answer.text("detail")).isEqualTo(detail);
    }
}
