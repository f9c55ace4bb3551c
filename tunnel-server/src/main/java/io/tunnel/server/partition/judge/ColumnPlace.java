package io.tunnel.server.partition.judge;

/** Where type and value of a column are in an array, or that the column is removed. */
final class ColumnPlace {
  private final byte[] array;
  private final int from;
  private final int end;

  ColumnPlace(byte[] array, int from, int end) {
    this.array = array;
    this.from = from;
    this.end = end;
  }

  byte[] array() {
    return array;
  }

  int from() {
    return from;
  }

  int end() {
    return end;
  }
}
