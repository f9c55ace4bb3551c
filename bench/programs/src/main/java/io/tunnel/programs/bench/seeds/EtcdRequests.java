package io.tunnel.programs.bench.seeds;

import io.tunnel.codec.ByteSink;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Puts and gets of etcd's API, in the bytes of Protocol Buffers. */
final class EtcdRequests implements Requests {

  private static final String PUT = "/etcdserverpb.KV/Put";
  private static final String RANGE = "/etcdserverpb.KV/Range";

  /** Tags of members with a length: the number of the member, and 2. */
  private static final int KEY = 1 << 3 | 2;

  private static final int VALUE = 2 << 3 | 2;

  /** The rows of an answer to a Range. */
  private static final int ROWS = 2 << 3 | 2;

  private static final byte[] ADDRESS = Names.ADDRESS.getBytes(StandardCharsets.US_ASCII);

  private final boolean isPut;
  private final Names names;

  /** Registers these names, or looks them up. */
  EtcdRequests(boolean isPut, Names names) {
    this.isPut = isPut;
    this.names = names;
  }

  @Override
  public String name(long request) {
    return isPut ? PUT : RANGE;
  }

  @Override
  public byte[] payload(int client, long request) {
    ByteSink sink = new ByteSink(names.bytes() + 32);
    write(sink, KEY, names.of(client, request));
    if (isPut) {
      write(sink, VALUE, ADDRESS);
    }
    return sink.toByteArray();
  }

  private static void write(ByteSink sink, int tag, byte[] bytes) {
    sink.writeByte(tag);
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }

  @Override
  public Optional<String> wrong(long request, byte[] answer) {
    return isPut || hasRows(answer) ? Optional.empty() : Optional.of("a name was not found");
  }

  /** The header comes first, then the rows. */
  private static boolean hasRows(byte[] answer) {
    int at = 0;
    while (at + 1 < answer.length) {
      int tag = answer[at];
      if (tag == ROWS) {
        return true;
      }
      if (tag != KEY) {
        return false;
      }
      // A header is shorter than 128 bytes.
      at += 2 + answer[at + 1];
    }
    return false;
  }
}
