package io.tunnel.server.table;

/**
 * How rows are stored.
 *
 * @param writeBufferBytes bytes of folded rows held in memory before they are written to a file;
 *     two buffers may fill while one is written
 * @param blockCacheBytes bytes of stored rows kept in memory for reading
 * @param backgroundJobs flushes and compactions that run at the same time
 */
public record TableStoreConfig(long writeBufferBytes, long blockCacheBytes, int backgroundJobs) {

  /** Refuses sizes that cannot work. */
  public TableStoreConfig {
    require(
        writeBufferBytes >= 1 << 20, "writeBufferBytes is at least 1 MiB, not " + writeBufferBytes);
    require(
        blockCacheBytes >= 1 << 20, "blockCacheBytes is at least 1 MiB, not " + blockCacheBytes);
    require(backgroundJobs >= 1, "backgroundJobs is at least 1, not " + backgroundJobs);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("table." + message);
    }
  }
}
