package io.tunnel.server.partition;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.table.Expiry;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;

/** What a catalog says of the partitions whose logs and rows are in a data directory. */
@FunctionalInterface
public interface OwnCatalog {

  /**
   * Whether a partition exists at the time of the question, asked by any thread; changes and rows
   * of others stay, and writes to them refused.
   */
  boolean hasPartition(int partition);

  /** The highest id that the catalog ever gave to a partition. */
  default int lastPartition() {
    return Integer.MAX_VALUE;
  }

  /** The partitions that exist when the logs are opened. */
  default Set<Integer> partitionIds() {
    return Set.of();
  }

  /** When the rows of a partition expire at the time of the question, asked by any thread. */
  default Expiry expiry(int partition) {
    return Expiry.NEVER;
  }

  /**
   * Whose a row session is at the time of the question, asked by any thread: the empty text where
   * clients have no names, or where a catalog that follows has not read of the session; empty for a
   * session that has ended.
   */
  default Optional<String> sessionOwner(long session) {
    return Optional.empty();
  }

  /** The AUTO column of the keys of a partition, if they have one. */
  default Optional<AutoNumbers> autoNumbers(int partition) {
    return Optional.empty();
  }

  /** The number that logs and rows of this catalog carry; 0 for none. */
  default int origin() {
    return 0;
  }

  /**
   * The partitions of a cache of a log that nodes share: all that were not dropped. A catalog that
   * follows the one of another node may not know a partition yet.
   */
  static OwnCatalog ofCache(Catalog tables) {
    return new OwnCatalog() {
      @Override
      public boolean hasPartition(int partition) {
        return !tables.isDroppedPartition(partition);
      }

      @Override
      public Expiry expiry(int partition) {
        return Expiry.of(tables.meta(partition));
      }

      @Override
      public Optional<AutoNumbers> autoNumbers(int partition) {
        return tables.meta(partition).flatMap(table -> AutoNumbers.of(table.primaryKey()));
      }

      @Override
      public Optional<String> sessionOwner(long session) {
        return tables.rowSessions().ownerOfRow(session);
      }
    };
  }

  /**
   * The partitions of {@code tables}.
   *
   * @param sessions the owner of a row session; see {@link #sessionOwner}
   * @param origin see {@link #origin}
   */
  static OwnCatalog of(Catalog tables, LongFunction<Optional<String>> sessions, int origin) {
    return new OwnCatalog() {
      @Override
      public boolean hasPartition(int partition) {
        return tables.hasPartition(partition);
      }

      @Override
      public int lastPartition() {
        return tables.lastPartition();
      }

      @Override
      public Set<Integer> partitionIds() {
        return tables.partitionIds();
      }

      @Override
      public Expiry expiry(int partition) {
        return Expiry.of(tables.meta(partition));
      }

      @Override
      public Optional<AutoNumbers> autoNumbers(int partition) {
        return tables.meta(partition).flatMap(table -> AutoNumbers.of(table.primaryKey()));
      }

      @Override
      public Optional<String> sessionOwner(long session) {
        return sessions.apply(session);
      }

      @Override
      public int origin() {
        return origin;
      }
    };
  }
}
