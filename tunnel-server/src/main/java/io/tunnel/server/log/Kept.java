package io.tunnel.server.log;

/**
 * Changes of some partitions in one segment.
 *
 * @param base names the segment; higher ones are newer
 * @param isSealed whether the segment is written no more
 * @param bytes of the batches
 * @param oldestMicros no change in the segment was committed before; unknown when {@link
 *     Long#MIN_VALUE}
 * @param newestMicros no change in the segment was committed after, by the clock of the segment or
 *     of the segments after it; unknown when {@link Long#MAX_VALUE}, as it is for one that is not
 *     sealed
 */
public record Kept(long base, boolean isSealed, long bytes, long oldestMicros, long newestMicros) {}
