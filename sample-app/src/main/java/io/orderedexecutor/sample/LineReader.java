package io.orderedexecutor.sample;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads input line by line. It holds one line, and of a line that is too long no more than the limit. */
final class LineReader {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream in;
    private final byte[] line;
    private int length;
    private boolean tooLong;
    private long number;
    private boolean manyLines;

    LineReader(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in);
        this.line = new byte[maxBytes];
    }

    /** Goes to the next line; false if there is none. */
    boolean next() throws IOException {
        return read('\n');
    }

    /** Takes all that is left for one line. */
    void rest() throws IOException {
        manyLines = true;
        if (!read(-1)) {
            number++;
        }
    }

    private boolean read(int end) throws IOException {
        length = 0;
        tooLong = false;
        number++; // also if the next thing that happens is that reading fails: then it is this line that is missing
        int b = in.read();
        if (b < 0) {
            number--;
            return false;
        }
        for (; b >= 0 && b != end; b = in.read()) {
            if (length < line.length) {
                line[length++] = (byte) b;
            } else {
                tooLong = true;
            }
        }
        return true;
    }

    /** The number of the current line, from 1; if reading failed, of the line that could not be read. */
    long number() {
        return number;
    }

    private @Nullable Long numberOrNone() {
        return manyLines ? null : number;
    }

    private boolean startsWithByteOrderMark() {
        return length >= BYTE_ORDER_MARK.length
                && Arrays.equals(line, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    }

    /** The current line, without its end, and the first one without the byte order mark that some editors put there. */
    String text() throws BadEventException {
        if (tooLong) {
            throw new BadEventException(
                    numberOrNone(),
                    null,
                    "is longer than " + line.length + " bytes; leave out what an event does not need");
        }
        int start = number == 1 && startsWithByteOrderMark() ? BYTE_ORDER_MARK.length : 0;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line, start, length - start))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadEventException(numberOrNone(), null, "is not UTF-8; send JSON in this encoding");
        }
    }
}
