package io.tunnel.server.replica.append;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Trim;

/** What a replica does with a record of the shared log that a newer leader appended. */
public final class NewerAppends {

  private static final AppendHeader PLAIN =
      new AppendHeader(Kind.BATCHES, 7, -3, 2, 41, 20, 5, Bytes.EMPTY);

  private NewerAppends() {}

  /** "holds back" or "skips", with another byte in the header of the record. */
  public static String changed(int at, int to) {
    byte[] header = PLAIN.encode();
    header[at] = (byte) to;
    return read(header, Bytes.EMPTY);
  }

  /** "holds back", "skips" or "drops", with an attribute in the header. */
  public static String with(Bytes attributes) {
    byte[] header = PLAIN.encode();
    ByteSink sink = new ByteSink(header.length + attributes.length());
    sink.write(header, 0, header.length);
    sink.write(attributes);
    return read(sink.toByteArray(), attributes);
  }

  private static String read(byte[] header, Bytes attributes) {
    try {
      return AppendHeader.decode(header).attributes().equals(attributes) ? "skips" : "drops";
    } catch (NewerFormatException e) {
      return "holds back";
    }
  }

  /** "skips" when a record that says a trim has a further member. */
  public static String withMember() {
    Trim trim = new Trim(5, 4, 3);
    String text = Utf8.decode(trim.encode(), 0, trim.encode().length);
    String newer = text.substring(0, text.length() - 1) + ",\"later\":1}";
    return AppendValue.decode(Kind.TRIM, Utf8.encode(newer)).equals(trim) ? "skips" : "drops";
  }
}
