package io.tunnel.server.rocks;

import io.tunnel.server.table.ByteMap;
import java.io.IOException;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Syncs the log before a write buffer becomes a file, on RocksDB's own thread.
 *
 * <p>Invariant: no file of the table has rows that the log does not have durably. RocksDB chooses
 * the buffers of a flush before it calls, and what is folded was appended before, so a sync from
 * here covers them. A {@link PartitionLoad} takes in files without a flush: their rows come from a
 * snapshot, and the state of the replica says so.
 *
 * <p>A listener cannot refuse a flush. When the log cannot be made durable, the listener shuts down
 * RocksDB's background work instead: a flush looks after its last byte whether that is so, and then
 * its file is never entered in the manifest. The rows stay in memory and can be read; a write that
 * would need another buffer fails. A crash at any time leaves a file that no manifest names, which
 * the next start deletes.
 */
final class LogFirst extends AbstractEventListener {

  private static final Logger LOGGER = LoggerFactory.getLogger(LogFirst.class);

  private final ByteMap.LogSync syncLog;

  LogFirst(ByteMap.LogSync syncLog) {
    super(EnabledEventCallback.ON_FLUSH_BEGIN);
    this.syncLog = syncLog;
  }

  @Override
  public void onFlushBegin(RocksDB db, FlushJobInfo flush) {
    boolean isDurable = false;
    try {
      syncLog.sync();
      isDurable = true;
    } catch (IOException e) {
      LOGGER.error("cannot sync the log, so no more rows go to disk until the next start", e);
    } finally {
      if (!isDurable) {
        db.cancelAllBackgroundWork(false);
      }
    }
  }
}
