package io.tunnel.codec;

import java.util.zip.CRC32C;

/** CRC-32C (Castagnoli), which the JDK computes with the processor's own instruction. */
public final class Checksum {

  private Checksum() {}

  /** The checksum of {@code length} bytes of {@code array} from {@code offset}. */
  public static int crc32c(byte[] array, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(array, offset, length);
    return (int) crc.getValue();
  }
}
