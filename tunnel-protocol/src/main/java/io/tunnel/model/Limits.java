package io.tunnel.model;

/** Limits that both ends of a connection enforce. Bytes are counted as encoded. */
public final class Limits {

  /** Primary-key columns of a table. */
  public static final int KEY_COLUMNS_MAX = 4;

  /** Bytes of one STRING or BINARY primary-key column, before encoding (as in Tablestore). */
  public static final int KEY_COLUMN_BYTES_MAX = 1024;

  /** Bytes of a column name in UTF-8 (as in Tablestore). */
  public static final int COLUMN_NAME_BYTES_MAX = 255;

  /** Attribute columns of one row (as in Tablestore). */
  public static final int ROW_COLUMNS_MAX = 1024;

  /** Bytes of one STRING or BINARY attribute (as in Tablestore). */
  public static final int VALUE_BYTES_MAX = 2 * 1024 * 1024;

  /** Bytes of one row: key, names and values. */
  public static final int ROW_BYTES_MAX = 4 * 1024 * 1024;

  /** Rows of one batch. */
  public static final int BATCH_ROWS_MAX = 65_536;

  /** Bound rows of a session in one partition. */
  public static final int SESSION_ROWS_MAX = 1_000;

  /** Rows of one atomic batch, which a worker processes in one callback. */
  public static final int ATOMIC_ROWS_MAX = 1_000;

  /** Bytes of one atomic batch, as encoded by the writer. */
  public static final int ATOMIC_BYTES_MAX = 1024 * 1024;

  /** Distinct column names of one batch. */
  public static final int BATCH_NAMES_MAX = 4_096;

  /** Bytes of one batch, header included; the largest row fits with space for its names. */
  public static final int BATCH_BYTES_MAX = 6 * 1024 * 1024;

  /** Bytes of one frame after its length field. */
  public static final int FRAME_BYTES_MAX = 8 * 1024 * 1024;

  /** Bytes of a request that has only names: no rows, positions or split points. */
  public static final int NAMING_REQUEST_BYTES_MAX = 256 * 1024;

  /** Bytes of a request that names a channel or a partition, and a key of its table. */
  public static final int KEYED_REQUEST_BYTES_MAX = 32 * 1024;

  /** Partitions of one table. */
  public static final int TABLE_PARTITIONS_MAX = 1_024;

  /** Rows of one page of a range, and rows that are looked at for the page. */
  public static final int PAGE_ROWS_MAX = 5_000;

  /**
   * Bytes of one page of a range, and bytes of keys and values that are looked at for the page. A
   * single row may have more.
   */
  public static final int PAGE_BYTES_MAX = 4 * 1024 * 1024;

  /** Bytes of the columns that the answer to one WRITE returns. */
  public static final int RETURNED_BYTES_MAX = 1024 * 1024;

  /** Bytes of returned columns that a repeated batch is answered with again. */
  public static final int RETURNED_AGAIN_BYTES_MAX = 4 * 1024;

  /** Keys that one request looks up. */
  public static final int GET_KEYS_MAX = 1_000;

  /** Keys and prefixes of one watch. */
  public static final int WATCH_TERMS_MAX = 1_000;

  /** Bytes of all keys and prefixes of one watch, as encoded. */
  public static final int WATCH_TERMS_BYTES_MAX = 64 * 1024;

  private Limits() {}
}
