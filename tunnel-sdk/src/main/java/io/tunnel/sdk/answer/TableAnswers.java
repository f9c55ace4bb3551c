package io.tunnel.sdk.answer;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.util.Optional;
import java.util.function.Function;

/** Converts answers about tables. */
public final class TableAnswers {

  private TableAnswers() {}

  /** Converts the description of a table whose rows were counted. */
  public static TableInfo counted(TableDescription table) {
    return info(table, partition -> Optional.of(figures(partition)));
  }

  /**
   * Converts the description of a table without counts: the figures of the answer have no meaning.
   */
  public static TableInfo uncounted(TableDescription table) {
    return info(table, partition -> Optional.empty());
  }

  private static TableInfo info(
      TableDescription table, Function<PartitionDescription, Optional<PartitionFigures>> figures) {
    PrimaryKeyType type = table.meta().primaryKey().get(0).type();
    return new TableInfo(
        table.tableId(),
        table.meta(),
        table.createdMs(),
        table.partitions().stream()
            .map(
                partition ->
                    new PartitionInfo(
                        partition.id(),
                        bound(partition.from(), type),
                        bound(partition.to(), type),
                        partition.parents(),
                        partition.leader(),
                        figures.apply(partition)))
            .toList());
  }

  private static Optional<PrimaryKeyValue> bound(Bytes encoded, PrimaryKeyType type) {
    return encoded.length() == 0
        ? Optional.empty()
        : Optional.of(KeyCodec.decodeColumn(encoded, type));
  }

  private static PartitionFigures figures(PartitionDescription partition) {
    return new PartitionFigures(
        partition.rowCount(),
        partition.rowCountIsExact(),
        partition.byteCount(),
        partition.changeBytes(),
        partition.firstPosition(),
        partition.committed());
  }

  /** Converts the first and last positions of a table's partitions. */
  public static TablePositions positions(FoundPositions found) {
    return new TablePositions(
        found.tableId(),
        found.partitions().stream()
            .map(
                at ->
                    new PartitionPositions(
                        at.partition(), at.earliest(), at.latest(), at.before(), at.incarnation()))
            .toList(),
        found.serverMs());
  }
}
