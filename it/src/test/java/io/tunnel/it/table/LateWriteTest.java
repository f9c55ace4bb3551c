package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.FrameProxy;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The network holds up a write while its connection is lost, and delivers the write after a later
 * write was acknowledged. The later value stays, also when the partition has forgotten the writer.
 */
class LateWriteTest {

  private static final String TABLE = "t";

  @RegisterExtension final Stage stage = new Stage();

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("k", id).build();
  }

  private static RowChange put(long id, long value) {
    return new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  /** Cuts the connection at a WRITE, and keeps the WRITE. */
  private static final class Holder implements FrameProxy.Watcher {
    private int passing = Integer.MAX_VALUE;
    private Optional<Frame> held = Optional.empty();

    synchronized void holdAfter(int writes) {
      passing = writes;
    }

    @Override
    public synchronized boolean passes(boolean isFromClient, Frame frame) {
      boolean isWrite = frame.operation() == Operation.WRITE;
      if (!isFromClient || !isWrite || held.isPresent() || passing-- > 0) {
        return true;
      }
      held = Optional.of(frame);
      return false;
    }

    @Override
    public void lost(Frame frame) {}

    synchronized Frame held() {
      return held.orElseThrow();
    }
  }

  /**
   * With others: the first WRITE is refused, because the writer was forgotten; the second is held.
   */
  @ParameterizedTest
  @CsvSource({"0, 0", "1100, 1"})
  void a_write_that_arrives_after_a_later_one_changes_nothing(int others, int before) {
    ServerProcess server = stage.server();
    TableClient direct = stage.tables(server);
    var unused =
        direct.createTable(
            CreateTableRequest.builder(TABLE).key("k", PrimaryKeyType.INTEGER).build());
    Holder holder = new Holder();
    FrameProxy proxy = stage.closing(new FrameProxy(server.port(), holder));
    TableWriterConfig quick = TableWriterConfig.DEFAULTS.withLinger(Duration.ZERO);
    try (TableClient client = TableClient.connect(ClientConfig.of(proxy.endpoint()));
        RawClient late = RawClient.greeted(server)) {
      client.write(TABLE, List.of(put(-5, 0)));
      for (int other = 0; other < others; other++) {
        try (TableWriter writer = direct.openWriter(TABLE, quick)) {
          writer.add(put(2, other), (row, result) -> {});
        }
      }
      holder.holdAfter(before);
      assertThat(outcome(client, 1)).isEqualTo(Outcome.APPLIED);
      assertThat(outcome(client, 2)).isEqualTo(Outcome.APPLIED);
      Frame held = holder.held();
      Frame answer = late.ask(held.operationCode(), held.payload());
      assertThat(answer.kind()).as("the late write is refused").isEqualTo(FrameKind.ERROR);
      assertThat(direct.getRow(TABLE, key(1)).orElseThrow().value("v").orElseThrow().asLong())
          .isEqualTo(2);
    }
  }

  private static Outcome outcome(TableClient client, long value) {
    return client.tryWrite(TABLE, List.of(put(1, value))).results().get(0).outcome();
  }
}
