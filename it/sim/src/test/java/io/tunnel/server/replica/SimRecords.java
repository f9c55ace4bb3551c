package io.tunnel.server.replica;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.Optional;

/** Decodes single records of a log for comparisons. */
public final class SimRecords {

  private static final int BYTES_MAX = 1 << 20;

  private SimRecords() {}

  /** What is said by a record that counts: to channels, and to the table. */
  public record Said(Optional<ChangeBatch> change, ChangeBatch rows) {}

  /** Takes a record apart. */
  public static Said of(int partition, Stored record) {
    RunCore runs = new RunCore(partition, BYTES_MAX);
    var key = record.entry().key();
    boolean isRepair = record.entry().kind() == Kind.REPAIR;
    runs.add(
        record.offset(),
        isRepair ? record.entry().rowMicros() : record.timeMicros(),
        isRepair,
        new RunCore.Row(
            record.entry(), record.entry().value().map(value -> RecordCodec.decode(key, value))));
    RunCore.Run run = runs.take().get(0);
    return new Said(run.changes(), run.rows());
  }

  /** Applies rows. */
  public static void fold(SimReplicaRows rows, ChangeBatch batch) {
    rows.fold(batch);
  }
}
