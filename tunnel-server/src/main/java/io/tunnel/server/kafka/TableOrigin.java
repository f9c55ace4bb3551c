package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;

/**
 * Tells the two topics of a table apart from topics that are created again under their names, and
 * from their mirrors in another Kafka. The rest of the server knows the origin as bytes: the id of
 * the log's topic, then the id of the rows' topic.
 *
 * @param log the origin of the topic with the changes
 * @param rows the origin of the topic with the blocks of snapshots
 */
record TableOrigin(Bytes log, Bytes rows) {

  private static final int ID_BYTES = 16;

  /** Refuses what is no id of a topic. */
  TableOrigin {
    require(log.length() == ID_BYTES && rows.length() == ID_BYTES, log.length() + rows.length());
  }

  private static void require(boolean isRight, int bytes) {
    if (!isRight) {
      throw new IllegalArgumentException(
          "the origin of a table's two topics has 32 bytes, not " + bytes);
    }
  }

  /**
   * The origins in these bytes.
   *
   * @throws IllegalArgumentException for bytes that {@link #bytes} does not make
   */
  static TableOrigin of(Bytes bytes) {
    require(bytes.length() == 2 * ID_BYTES, bytes.length());
    byte[] both = bytes.toByteArray();
    return new TableOrigin(Bytes.copyOf(both, 0, ID_BYTES), Bytes.copyOf(both, ID_BYTES, ID_BYTES));
  }

  Bytes bytes() {
    byte[] both = new byte[2 * ID_BYTES];
    log.copyInto(both, 0);
    rows.copyInto(both, ID_BYTES);
    return Bytes.copyOf(both);
  }
}
