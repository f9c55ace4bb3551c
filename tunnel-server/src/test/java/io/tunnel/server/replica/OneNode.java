package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** A node that is alone on a shared log, for which time passes only when a test says so. */
final class OneNode {

  static final int P = 1;

  final FakeSharedLog log = new FakeSharedLog(new Random(1));
  final AtomicLong nanos = new AtomicLong(1);
  final WriteLedger ledger = new WriteLedger();
  SimNode node;

  OneNode() throws IOException {
    begin("a", SimNode.Kept.ALL);
  }

  /** Replaces the node by a node of this name. */
  void begin(String name, SimNode.Kept kept) throws IOException {
    node = new SimNode(name, log, nanos, kept, new Random(1));
  }

  /** Until nothing moves any more; time stands still. */
  void run() {
    boolean moved = true;
    while (moved) {
      moved = node.step();
      moved |= log.settle();
    }
  }

  void lead() {
    node.replicas.lead(P);
    run();
  }

  static RowChange put(String key) {
    return TestRows.put(key, new Column("c", ColumnValue.fromString("x")));
  }

  WriteLedger.Written write(boolean isConditional, RowChange... rows) {
    ChangeBatch batch = TestRows.batch(P, rows);
    WriteLedger.Written written = ledger.add(batch);
    node.replicas
        .of(P)
        .write(new PendingWrite(batch, isConditional, ColumnSizes.of(batch), true, written));
    return written;
  }

  static ErrorCode code(WriteLedger.Written written) {
    return written.refusal().map(RefusedException::code).orElseThrow();
  }

  static void requireRefused(ErrorCode code, Runnable request) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  /** A marker of somebody else. */
  long foreignMarker() {
    Bytes value = Bytes.fromHex("0102");
    return log.land(P, new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value)));
  }
}
