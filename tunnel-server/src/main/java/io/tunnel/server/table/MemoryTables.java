package io.tunnel.server.table;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntFunction;

/** The rows of a shard in memory: the product's table over a sorted map, without RocksDB. */
public final class MemoryTables {

  /** The map of the process before, if a process has died. */
  private final Optional<MemoryMap> died;

  private Optional<MemoryMap> map = Optional.empty();

  /** No rows. */
  public MemoryTables() {
    this(Optional.empty());
  }

  private MemoryTables(Optional<MemoryMap> died) {
    this.died = died;
  }

  /**
   * Opens the table; once.
   *
   * @param syncLog makes the log durable; called before a flush of the rows
   * @throws IOException when the rows are of an unknown form
   */
  public TableStore open(ByteMap.LogSync syncLog, IntFunction<Expiry> expiry) throws IOException {
    MemoryMap opened =
        died.map(former -> former.afterCrash(syncLog)).orElseGet(() -> new MemoryMap(syncLog));
    map = Optional.of(opened);
    return TableStore.over(opened, syncLog, expiry);
  }

  /** The rows that the next process finds: those of the last flush. */
  public MemoryTables afterDeath() {
    return new MemoryTables(map);
  }
}
