package io.tunnel.cli.tail;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.CommandFailure;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which changes are printed.
 *
 * @param partitions the partitions that have them, in the order of ids
 * @param key the encoded key of the only row; empty for all rows
 * @param kinds what these changes do
 */
record TailFilter(List<Integer> partitions, Optional<Bytes> key, Set<RecordType> kinds) {

  TailFilter {
    partitions = List.copyOf(partitions);
    kinds = Set.copyOf(kinds);
  }

  /**
   * What was asked for, in a table.
   *
   * @param wanted ids of partitions; none for all
   */
  static TailFilter of(
      TableInfo table,
      Collection<Integer> wanted,
      Optional<PrimaryKey> key,
      Set<RecordType> kinds) {
    Set<Integer> all = new TreeSet<>();
    table.partitions().forEach(partition -> all.add(partition.id()));
    for (int partition : wanted) {
      if (!all.contains(partition)) {
        throw CommandFailure.usage(
            "table '" + table.meta().name() + "' has no partition " + partition + ", only " + all);
      }
    }
    if (!wanted.isEmpty()) {
      all.retainAll(wanted);
    }
    if (key.isPresent()) {
      Bytes first = KeyCodec.encode(key.get().getPrimaryKeyColumn(0).getValue());
      table.partitions().stream()
          .filter(partition -> !holds(partition, first))
          .forEach(partition -> all.remove(partition.id()));
    }
    return new TailFilter(
        List.copyOf(all),
        key.map(whole -> KeyCodec.encode(whole, table.meta().primaryKey())),
        kinds);
  }

  private static boolean holds(PartitionInfo partition, Bytes first) {
    return partition.from().map(from -> KeyCodec.encode(from).compareTo(first) <= 0).orElse(true)
        && partition.to().map(to -> first.compareTo(KeyCodec.encode(to)) < 0).orElse(true);
  }

  /** Whether a change of one of the partitions is printed. */
  boolean matches(StreamRecord record) {
    return kinds.contains(record.getRecordType())
        && (key.isEmpty() || key.get().equals(record.encodedKey()));
  }
}
