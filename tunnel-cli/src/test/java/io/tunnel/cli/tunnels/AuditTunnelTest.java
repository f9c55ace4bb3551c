package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Commands about a tunnel with channels that have somewhere to go. */
abstract class AuditTunnelTest extends CommandLineTest {

  static final String AUDIT = " --table orders --tunnel audit";

  @BeforeEach
  void a_table_with_a_tunnel() {
    service.createTable(
        new TableMeta("orders", List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING))));
    assertThat(runLine("tunnels create" + AUDIT)).isZero();
    service.moves =
        List.of(
            new ChannelMove("c1", 1, ChannelType.Stream, 5_000, 3_800),
            new ChannelMove("c2", 2, ChannelType.Stream, 10, 12),
            new ChannelMove("c3", 3, ChannelType.Stream, 7, 7),
            new ChannelMove("b1", 1, ChannelType.BaseData, 9, 8));
    service.positions =
        List.of(
            new ChannelPosition(1, ChannelType.BaseData, 9, Bytes.fromHex("0a0b"), true),
            new ChannelPosition(1, ChannelType.Stream, 5_000, Bytes.EMPTY, false));
  }

  final JsonObject outJson() {
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }
}
