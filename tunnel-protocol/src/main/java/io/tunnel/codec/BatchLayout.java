package io.tunnel.codec;

/**
 * The layout of a batch (offsets from its first byte; drawn in {@code docs/reference/protocol.md}):
 * a fixed header, the rows, then the dictionary of column names. The dictionary is last so that
 * rows are written in place while names are still being found.
 */
final class BatchLayout {

  static final int LENGTH = 0;
  static final int CRC = 4;
  static final int FORMAT = 8;
  static final int ATTRIBUTES = 9;
  static final int NAME_COUNT = 10;
  static final int PARTITION = 12;
  static final int BASE_POSITION = 16;
  static final int COMMIT_MICROS = 24;
  static final int ROW_COUNT = 32;
  static final int ROWS_BYTES = 36;
  static final int HEADER_BYTES = 40;

  static final int FORMAT_1 = 1;

  /** A bit of the header's attributes: {@link Attributes} stand after the dictionary. */
  static final int HAS_ATTRIBUTES = 0x01;

  /** The bits of the header's attributes that this build knows. */
  static final int ATTRIBUTES_KNOWN = HAS_ATTRIBUTES;

  /** Attributes of a batch, with their length. */
  static final int ATTRIBUTES_BYTES_MAX = 64 << 10;

  /**
   * Row flags: bits 0-1 the kind, bits 2-3 the condition, bit 4 that {@link Attributes} stand after
   * the columns, further bits zero.
   */
  static final int KIND_MASK = 0x03;

  static final int CONDITION_SHIFT = 2;
  static final int CONDITION_MASK = 0x03;
  static final int FLAGS_MASK = 0x1f;

  static final int TYPE_INTEGER = 1;
  static final int TYPE_DOUBLE = 2;
  static final int TYPE_BOOLEAN = 3;
  static final int TYPE_STRING = 4;
  static final int TYPE_BINARY = 5;
  static final int TYPE_DELETE_COLUMN = 6;

  private BatchLayout() {}
}
