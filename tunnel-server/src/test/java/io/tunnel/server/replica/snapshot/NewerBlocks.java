package io.tunnel.server.replica.snapshot;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.Checksum;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.KeyRange;
import java.io.IOException;

/** Blocks of snapshots that a newer node wrote. */
public final class NewerBlocks {

  private static final int END_BYTES = 2 * Integer.BYTES;

  private NewerBlocks() {}

  private static byte[] plain() {
    SnapshotBlock.Open open = new SnapshotBlock.Open(1, 0);
    var unused = open.add(KeyRange.ROW, new byte[] {'k'}, 0, new byte[] {5, 6});
    return open.endAsLast(1, 1).toByteArray();
  }

  /** The entries of a block of another form. */
  public static int ofForm(int form) throws IOException {
    byte[] block = plain();
    block[0] = (byte) form;
    return entries(block);
  }

  /** The entries of a block with attributes. */
  public static int with(Bytes attributes) throws IOException {
    byte[] block = plain();
    ByteSink sink = new ByteSink(block.length + attributes.length());
    sink.write(block, 0, block.length - END_BYTES);
    sink.write(attributes);
    sink.writeInt(attributes.length());
    sink.writeInt(0);
    return entries(sink.toByteArray());
  }

  private static int entries(byte[] block) throws IOException {
    int end = block.length - Integer.BYTES;
    Binary.putInt(block, end, Checksum.crc32c(block, 0, end));
    int[] entries = {0};
    SnapshotBlock.decode(block)
        .forEach((range, array, keyOffset, keyBytes, valueOffset, valueBytes) -> entries[0]++);
    return entries[0];
  }
}
