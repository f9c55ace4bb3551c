package io.tunnel.server.disk;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the memory of files that were mapped and are deleted. Java keeps a mapping until it
 * collects the buffer, and a quiet heap may not be collected completely for hours: the deleted file
 * takes memory and disk space for as long. So a collection is asked for when deleted files take too
 * much.
 */
final class DeadMappings {

  private final long bytesMax;
  private final Runnable collect;

  // Guarded by this.
  /** Bytes of the mappings of each file that is not deleted, by its name. */
  private final Map<String, Long> mapped = new HashMap<>();

  /** Bytes of mappings of deleted files since a collection was last asked for; below bytesMax. */
  private long deadBytes;

  /**
   * Asks for a collection each time that deleted files have come to so many bytes.
   *
   * @param collect must not wait for the collection: a thread that deletes files calls it
   */
  DeadMappings(long bytesMax, Runnable collect) {
    this.bytesMax = bytesMax;
    this.collect = collect;
  }

  /** A file was mapped, perhaps not for the first time. */
  synchronized void mapped(String name, long bytes) {
    mapped.merge(name, bytes, Long::sum);
  }

  /** A file was deleted. */
  synchronized void deleted(String name) {
    Long bytes = mapped.remove(name);
    if (bytes == null) {
      return;
    }
    deadBytes += bytes;
    if (deadBytes >= bytesMax) {
      deadBytes = 0;
      collect.run();
    }
  }
}
