package io.tunnel.server.replica;

/**
 * Figures of the snapshots of a node's partitions, since the start where nothing else is said.
 *
 * @param taken snapshots whose record counts
 * @param takenBytes bytes of their blocks
 * @param failed attempts that made no snapshot
 * @param verified snapshots that this node has read back and found intact
 * @param damaged snapshots that this node has read back and found damaged
 * @param trims TRIM records that this node has appended
 * @param refusedDeletions requests to delete records that the shared log refused or did not answer
 * @param newestAgeMs the longest time, of all led partitions, since this node has learned of the
 *     newest snapshot; 0 without one
 * @param logBytes of the logs after the newest snapshots, of all led partitions
 * @param isOutrun whether writes outrun snapshots at the highest pace
 */
public record SnapshotFigures(
    long taken,
    long takenBytes,
    long failed,
    long verified,
    long damaged,
    long trims,
    long refusedDeletions,
    long newestAgeMs,
    long logBytes,
    boolean isOutrun) {

  /** Of a node that takes no snapshots. */
  public static final SnapshotFigures NONE = new SnapshotFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, false);
}
