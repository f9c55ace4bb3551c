package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import java.util.List;

/** Reads records of a log for comparisons. */
public final class SimRecords {

  private SimRecords() {}

  /** The node that leads from a marker on. */
  public static String leaderOf(AppendTail.Stored marker) {
    AppendValue value = AppendValue.decode(AppendHeader.Kind.MARKER, marker.value());
    return ((AppendValue.Leader) value).node();
  }

  /** The batches of a record. */
  public static List<ChangeBatch> batches(int partition, AppendTail.Stored record) {
    AppendHeader header = record.header();
    return AppendBatches.parse(record.value(), partition, header.first(), header.changes());
  }
}
