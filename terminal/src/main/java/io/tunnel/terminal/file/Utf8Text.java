package io.tunnel.terminal.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The characters of UTF-8 without its byte-order mark. Bytes that are no UTF-8 end the text with an
 * {@link UnreadableTextException} that names their line, behind all characters before them.
 */
public final class Utf8Text extends Reader {

  private static final int BUFFER_BYTES = 64 * 1024;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final InputStream in;
  private final QuoteCore quotes;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private final ByteBuffer bytes = ByteBuffer.allocate(BUFFER_BYTES).flip();
  private boolean isAtStart = true;
  private boolean isAtEnd;

  /** A text, of which {@code quotes} sees every character. */
  Utf8Text(InputStream in, QuoteCore quotes) {
    this.in = in;
    this.quotes = quotes;
  }

  /** A text of lines. */
  public Utf8Text(InputStream in) {
    this(in, new QuoteCore('\n'));
  }

  @Override
  public int read(char[] target, int offset, int length) throws IOException {
    if (length < 2) {
      throw new IllegalArgumentException("a buffer of " + length + " characters, the least is 2");
    }
    CharBuffer characters = CharBuffer.wrap(target, offset, length).slice();
    while (characters.position() == 0) {
      CoderResult result = decoder.decode(bytes, characters, isAtEnd);
      if (isAtStart && characters.position() > 0) {
        isAtStart = false;
        if (characters.get(0) == BYTE_ORDER_MARK) {
          characters.flip().position(1);
          characters.compact();
        }
      }
      if (characters.position() > 0) {
        break;
      }
      if (result.isError()) {
        throw new UnreadableTextException(
            "line " + quotes.line() + ": not text in UTF-8; convert the file, with iconv for one",
            null);
      }
      if (isAtEnd) {
        return -1;
      }
      fill();
    }
    for (int i = 0; i < characters.position(); i++) {
      quotes.next(target[offset + i]);
    }
    return characters.position();
  }

  private void fill() throws IOException {
    bytes.compact();
    int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
    if (count < 0) {
      isAtEnd = true;
    } else {
      bytes.position(bytes.position() + count);
    }
    bytes.flip();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
