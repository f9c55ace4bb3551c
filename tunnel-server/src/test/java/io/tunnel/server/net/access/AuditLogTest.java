package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AuditLogTest {

  private static final TableMeta META =
      new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));

  private static Optional<String> text(Operation operation, Control payload) {
    return AuditLog.text(operation, Json.encode(payload));
  }

  @Test
  void whatOperatorsDoIsSaidInWords() {
    assertThat(
            text(
                Operation.CREATE_TABLE,
                new Control.CreateTable(META, List.of(PrimaryKeyValue.fromString("m")))))
        .contains("create table orders of 2 partitions");
    assertThat(text(Operation.ALTER_TABLE, new AlterTable("orders", META.options())).get())
        .startsWith("alter table orders: ");
    assertThat(text(Operation.DROP_TABLE, new Control.TableName("orders")))
        .contains("drop table orders");
    assertThat(
            text(
                Operation.CREATE_TUNNEL,
                new Control.CreateTunnel("orders", "audit", TunnelType.Stream, StreamStart.LATEST)))
        .contains("create tunnel audit of table orders of type Stream");
    assertThat(text(Operation.DELETE_TUNNEL, new Control.TunnelName("orders", "audit")))
        .contains("delete tunnel audit of table orders");
    assertThat(text(Operation.PAUSE, new ChannelSelection("orders", "audit", List.of())))
        .contains("pause tunnel audit of table orders");
    assertThat(
            text(
                Operation.RESUME,
                new ChannelSelection(
                    "orders", "audit", List.of("1", "2", "3", "4", "5", "6", "7"))))
        .contains("resume channels 1, 2, 3, 4, 5 and 2 more of tunnel audit of table orders");
    assertThat(text(Operation.END_SESSION, new EndSession("orders", "audit", "3-1")))
        .contains("end session 3-1 of tunnel audit of table orders");
    assertThat(text(Operation.DRAIN_NODE, new DrainNode(true))).contains("drain this node");
    assertThat(text(Operation.DRAIN_NODE, new DrainNode(false)))
        .contains("drain this node no more");
  }

  @Test
  void aSeekIsSaidAndADryRunIsNot() {
    assertThat(text(Operation.SEEK, seek(false)))
        .contains("seek channel 1 of tunnel audit of table orders behind position 7");
    assertThat(text(Operation.SEEK, seek(true))).isEmpty();
  }

  private static Seek seek(boolean isDryRun) {
    return new Seek(
        "orders",
        "audit",
        List.of("1"),
        Optional.empty(),
        Optional.empty(),
        Optional.of(7L),
        Optional.empty(),
        isDryRun);
  }

  @Test
  void questionsAndWorkersAreNotSaid() {
    assertThat(text(Operation.DESCRIBE_TUNNEL, new Control.TunnelName("orders", "audit")))
        .isEmpty();
    assertThat(AuditLog.text(Operation.HEARTBEAT, new byte[0])).isEmpty();
  }

  @Test
  void namesCannotForgeALine() {
    assertThat(text(Operation.PAUSE, new ChannelSelection("orders", "au\ndit", List.of())).get())
        .isEqualTo("pause tunnel au?dit of table orders");
  }
}
