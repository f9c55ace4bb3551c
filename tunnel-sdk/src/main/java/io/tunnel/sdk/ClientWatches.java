package io.tunnel.sdk;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyPrefix;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.read.FeedThread;
import io.tunnel.sdk.read.Feeds;
import io.tunnel.sdk.read.LoopPort;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchedKeys;
import io.tunnel.wire.KeyTerms;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The watches of one client, which share a thread and a connection to each server. The monitor
 * guards the fields; no foreign code runs under it. Thread-safe.
 */
final class ClientWatches {

  private final ClientConfig config;
  private final Set<Feeds> open = new HashSet<>();
  private Optional<FeedThread> thread = Optional.empty();
  private boolean isClosed;

  ClientWatches(ClientConfig config) {
    this.config = config;
  }

  /** Opens a watch of a table with the partitions {@code table}. */
  Watch open(
      TableInfo table, WatchedKeys keys, WatchConfig how, Supplier<TablePositions> positions) {
    // First: a table that was created again may have another key.
    how.position().ifPresent(behind -> Watch.requireOfTable(behind, table));
    KeyTerms terms = encode(keys, table.meta().primaryKey(), how.isKeysOnly());
    PartitionReaderConfig reader =
        PartitionReaderConfig.DEFAULTS
            .withPartitionBytesMax(how.partitionBytesMax())
            .withOutageMax(how.outageMax());
    Feeds feeds =
        new Feeds(thread(), config.endpoints(), table.meta().name(), reader, Optional.of(terms));
    add(feeds);
    try {
      return Watch.begin(table, feeds, terms, how, positions, () -> remove(feeds));
    } catch (RuntimeException e) {
      feeds.close();
      remove(feeds);
      throw e;
    }
  }

  /**
   * Keys as a server is asked for them.
   *
   * @throws IllegalArgumentException when a key or prefix does not match the key of the table, or
   *     there are too many
   */
  private static KeyTerms encode(
      WatchedKeys keys, List<PrimaryKeySchema> schema, boolean isKeysOnly) {
    List<Bytes> encodedKeys =
        keys.keys().stream().map(key -> KeyCodec.encode(key, schema)).toList();
    List<Bytes> encodedPrefixes =
        keys.prefixes().stream()
            .map(prefix -> KeyPrefix.of(prefix.leading(), prefix.beginning(), schema))
            .toList();
    return new KeyTerms(encodedKeys, encodedPrefixes, isKeysOnly);
  }

  private synchronized FeedThread thread() {
    if (isClosed) {
      throw new ConnectionException("the client is closed", false, null);
    }
    if (thread.isEmpty()) {
      thread = Optional.of(FeedThread.shared(new LoopPort(config)));
    }
    return thread.get();
  }

  private synchronized void add(Feeds feeds) {
    open.add(feeds);
  }

  private synchronized void remove(Feeds feeds) {
    open.remove(feeds);
  }

  private synchronized List<Feeds> takeAll() {
    isClosed = true;
    List<Feeds> all = List.copyOf(open);
    open.clear();
    return all;
  }

  /** Ends all watches, and the connections. Idempotent. */
  void close() {
    takeAll().forEach(Feeds::close);
    Optional<FeedThread> used;
    synchronized (this) {
      used = thread;
      thread = Optional.empty();
    }
    used.ifPresent(FeedThread::close);
  }
}
