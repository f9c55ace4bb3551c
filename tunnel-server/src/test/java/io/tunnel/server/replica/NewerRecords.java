package io.tunnel.server.replica;

import static io.tunnel.server.replica.OneNode.P;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What a replica does with a record that a newer leader appended. */
public final class NewerRecords {

  /** The key of the record's row. */
  public static final Bytes KEY = TestRows.keyBytes("a");

  private NewerRecords() {}

  /**
   * "holds back", "stops", "skips" when the change counts, or "fences".
   *
   * @param change makes the newer header out of that of a plain change
   * @param attributes that the row must have in its batch when the change counts
   */
  public static String doneWith(
      UnaryOperator<byte[]> change, Optional<Bytes> value, Bytes attributes) throws IOException {
    OneNode one = new OneNode();
    one.lead();
    one.write(false, OneNode.put("a"));
    one.run();
    one.foreignMarker();
    long epoch = one.log.partition(P).end() - 1;
    byte[] plain = RecordHeader.encode(new Entry(Kind.CHANGE, KEY, epoch, 1L << 20, value));
    one.log.land(P, RecordHeader.decode(change.apply(plain), KEY, value));
    one.run();
    one.nanos.addAndGet(60_000_000_000L);
    one.run();
    ReplicaStatus status = one.node.replicas.status().get(0);
    boolean isTouched =
        one.node.replicas.count(Incident.FENCED) + one.node.replicas.count(Incident.REPAIRED) > 0;
    if (isTouched) {
      return "fences";
    }
    if (status.role().equals("OUTDATED") || status.role().equals("FAILED")) {
      String stop = status.role().equals("FAILED") ? "stops" : "holds back";
      return status.next() == epoch + 1 ? stop : "loses its place";
    }
    return hasAttributes(one, epoch + 1, attributes) ? "skips" : "drops";
  }

  private static boolean hasAttributes(OneNode one, long position, Bytes attributes)
      throws IOException {
    for (ChangeBatch batch : one.node.delivered(P, position)) {
      RowCursor row = batch.rows();
      while (row.next()) {
        if (batch.basePosition() + row.index() == position) {
          return row.attributes().equals(attributes);
        }
      }
    }
    return false;
  }
}
