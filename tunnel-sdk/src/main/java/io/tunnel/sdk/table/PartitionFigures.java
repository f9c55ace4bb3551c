package io.tunnel.sdk.table;

/**
 * What is stored of a partition.
 *
 * @param rowCount rows; an estimate unless {@code rowCountIsExact}
 * @param rowCountIsExact whether rows were counted one by one
 * @param byteCount estimated bytes of the rows on disk
 * @param changeBytes bytes of the changes that are kept
 * @param firstPosition position of the oldest change that is kept, at least 1; one over {@code
 *     committed} when none is
 * @param committed position of the newest change that readers may see; 0 when there is none
 */
public record PartitionFigures(
    long rowCount,
    boolean rowCountIsExact,
    long byteCount,
    long changeBytes,
    long firstPosition,
    long committed) {}
