package io.tunnel.sdk.table;

/**
 * Figures of a partition's storage.
 *
 * @param rowCount number of rows; an estimate unless {@code rowCountIsExact}
 * @param rowCountIsExact whether rows were counted one by one
 * @param byteCount estimated bytes of the rows on disk
 * @param changeBytes bytes of the kept changes; {@link #UNKNOWN} in a cluster whose leader of the
 *     partition began with a snapshot, or trimmed changes from its disk that Kafka keeps
 * @param firstPosition position of the oldest kept change, at least 1; {@code committed} + 1 when
 *     no change is kept
 * @param committed position of the newest change that readers may see; 0 without changes
 */
public record PartitionFigures(
    long rowCount,
    boolean rowCountIsExact,
    long byteCount,
    long changeBytes,
    long firstPosition,
    long committed) {

  /** Stands for a figure that the service does not know. */
  public static final long UNKNOWN = -1;
}
