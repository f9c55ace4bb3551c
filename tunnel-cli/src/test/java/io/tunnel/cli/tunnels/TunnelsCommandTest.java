package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.sdk.tunnel.SessionInfo;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TunnelsCommandTest extends CommandLineTest {

  @BeforeEach
  void two_tables() {
    for (String table : List.of("orders", "users")) {
      service.createTable(
          new TableMeta(table, List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING))));
    }
  }

  private static ChannelInfo channel(
      int partition, ChannelStatus status, String owner, String tag, long lagRows) {
    return channel(partition, status, owner, tag, new Lag(lagRows, lagRows * 220, lagRows * 2));
  }

  private record Lag(long rows, long bytes, long millis) {}

  private static ChannelInfo channel(
      int partition, ChannelStatus status, String owner, String tag, Lag lag) {
    ChannelInfo.Builder channel =
        ChannelInfo.builder("c" + partition, partition, ChannelType.Stream)
            .status(status)
            .epoch(3)
            .checkpointed(5_000 - lag.rows())
            .delivered(5_000)
            .committed(5_000)
            .lagRows(lag.rows())
            .lagBytes(lag.bytes())
            .rpoInMillis(lag.millis());
    Optional.ofNullable(owner).ifPresent(channel::clientId);
    Optional.ofNullable(tag).ifPresent(channel::clientTag);
    return channel.build();
  }

  @Test
  void a_tunnel_starts_with_the_next_change_unless_told_otherwise() {
    assertThat(runLine("tunnels create --table orders --tunnel audit")).isZero();
    assertThat(outLines())
        .containsExactly("tunnel audit of table orders created, Stream from LATEST, id id-audit");
    assertThat(runLine("tunnels create --table orders --tunnel old --start earliest --json"))
        .isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("tunnelId").getAsString()).isEqualTo("id-old");
    assertThat(service.tunnels.get("orders/old").getTunnelInfo().getStreamTunnelConfig().flag())
        .isEqualTo(StreamStart.EARLIEST);
  }

  @Test
  void a_tunnel_of_no_table_or_of_a_name_that_is_taken_is_refused() {
    assertThat(runLine("tunnels create --table none --tunnel a")).isEqualTo(4);
    assertThat(errLines()).containsExactly("tunnel tunnels create: there is no table 'none'");
    runLine("tunnels create --table orders --tunnel a");
    assertThat(runLine("tunnels create --table orders --tunnel a")).isEqualTo(1);
    assertThat(errLines())
        .containsExactly("tunnel tunnels create: table 'orders' has a tunnel 'a'");
  }

  @Test
  void tunnels_are_listed_of_all_tables_or_of_one() {
    runLine("tunnels create --table orders --tunnel audit");
    runLine("tunnels create --table users --tunnel mail");
    assertThat(runLine("tunnels list")).isZero();
    assertThat(outLines())
        .containsExactly(
            "TABLE   TUNNEL  TYPE    START   END  CREATED               ID",
            "orders  audit   Stream  LATEST  -    2023-11-14T22:13:20Z  id-audit",
            "users   mail    Stream  LATEST  -    2023-11-14T22:13:20Z  id-mail");
    assertThat(runLine("tunnels list --table users --json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"tunnels\":[{\"tunnelId\":\"id-mail\",\"tunnel\":\"mail\",\"table\":\"users\","
                + "\"type\":\"Stream\",\"start\":\"LATEST\",\"startMs\":null,\"endMs\":null,\"createdMs\":1700000000000}]}");
  }

  @Test
  void a_tunnel_is_described_with_who_holds_its_channels_and_how_far_they_are_behind() {
    runLine("tunnels create --table orders --tunnel audit");
    service.setChannels(
        "orders",
        "audit",
        channel(1, ChannelStatus.OPEN, "s1", "worker-a", 0),
        channel(2, ChannelStatus.CLOSING, "s2", null, 1_000),
        channel(3, ChannelStatus.WAIT, null, null, 40));

    assertThat(runLine("tunnels describe --table orders --tunnel audit")).isZero();

    assertThat(outLines())
        .containsExactly(
            "tunnel audit of table orders: Stream from LATEST, id id-audit, created"
                + " 2023-11-14T22:13:20Z, ProcessStream",
            "",
            "CHANNEL  PARTITION  TYPE    STATE    OWNER        EPOCH  CHECKPOINTED  DELIVERED"
                + "  COMMITTED  LAG ROWS  LAG BYTES  LAG TIME",
            "c1               1  Stream  OPEN     worker-a s1      3         5,000      5,000"
                + "      5,000         0        0 B      0 ms",
            "c2               2  Stream  CLOSING  s2               3         4,000      5,000"
                + "      5,000     1,000    215 KiB     2.0 s",
            "c3               3  Stream  WAIT     -                3         4,960      5,000"
                + "      5,000        40   8.59 KiB     80 ms",
            "",
            "3 channels, 2 held by 2 sessions; behind by 1,040 rows, 223 KiB, 2.0 s");
  }

  @Test
  void what_a_node_cannot_know_is_said_to_be_unknown_and_not_added_up() {
    runLine("tunnels create --table orders --tunnel audit");
    service.setChannels(
        "orders",
        "audit",
        channel(1, ChannelStatus.OPEN, "s1", null, 1_000),
        channel(2, ChannelStatus.OPEN, "s1", null, new Lag(40, -1, -1)));
    assertThat(runLine("tunnels describe --table orders --tunnel audit")).isZero();
    assertThat(outLines())
        .contains(
            "c2               2  Stream  OPEN   s1         3         4,960      5,000"
                + "      5,000        40          ?         ?",
            "2 channels, 2 held by 1 session; behind by 1,040 rows, bytes unknown, time unknown");
    assertThat(runLine("tunnels describe --table orders --tunnel audit --json")).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    JsonObject unknown = json.getAsJsonArray("channels").get(1).getAsJsonObject();
    assertThat(json.get("lagRows").getAsLong()).isEqualTo(1_040);
    for (JsonObject described : List.of(json, unknown)) {
      assertThat(described.get("lagBytes").isJsonNull()).isTrue();
      assertThat(described.get("lagMs").isJsonNull()).isTrue();
    }
  }

  @Test
  void changes_are_known_when_the_rows_of_base_data_are_not() {
    runLine("tunnels create --table orders --tunnel audit");
    service.setChannels(
        "orders",
        "audit",
        channel(1, ChannelStatus.OPEN, "s1", "worker-a", 7),
        ChannelInfo.builder("b1", 1, ChannelType.BaseData)
            .status(ChannelStatus.WAIT)
            .lagRows(ChannelInfo.UNKNOWN)
            .build());
    assertThat(runLine("tunnels describe --table orders --tunnel audit")).isZero();
    assertThat(outLines().get(outLines().size() - 1))
        .contains("behind by 7 changes and base data of unknown size, ");
    assertThat(runLine("tunnels describe --table orders --tunnel audit --json")).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("lagRows").isJsonNull()).isTrue();
    assertThat(json.get("lagChanges").getAsLong()).isEqualTo(7);
  }

  @Test
  void a_description_is_json_when_asked_for() {
    runLine("tunnels create --table orders --tunnel audit");
    service.setChannels(
        "orders",
        "audit",
        channel(1, ChannelStatus.OPEN, "s1", "worker-a", 7),
        channel(2, ChannelStatus.WAIT, null, null, 3));
    assertThat(runLine("tunnels describe --table orders --tunnel audit --json")).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("lagRows").getAsLong()).isEqualTo(10);
    assertThat(json.getAsJsonArray("channels").get(0).toString())
        .isEqualTo(
            "{\"channelId\":\"c1\",\"partition\":1,\"type\":\"Stream\",\"state\":\"OPEN\","
                + "\"isPaused\":false,\"error\":null,\"owner\":\"s1\",\"clientTag\":\"worker-a\","
                + "\"epoch\":3,\"checkpointed\":4993,\"delivered\":5000,\"committed\":5000,"
                + "\"end\":null,\"lagRows\":7,\"isLagEstimated\":false,"
                + "\"lagBytes\":1540,\"lagMs\":14,"
                + "\"historyLeftMs\":null,\"waitsFor\":[],"
                + "\"failedAt\":null,\"retry\":null}");
    assertThat(json.getAsJsonArray("channels").get(1).getAsJsonObject().get("owner").isJsonNull())
        .isTrue();
  }

  @Test
  void where_a_channel_fails_is_in_its_json() {
    runLine("tunnels create --table orders --tunnel audit");
    FailedChange at = new FailedChange(1, 7, PrimaryKey.builder().add("k", "a").build(), 1);
    service.setChannels(
        "orders",
        "audit",
        ChannelInfo.builder("c1", 1, ChannelType.Stream).error("odd").failedAt(at).build(),
        ChannelInfo.builder("c2", 2, ChannelType.Stream)
            .retry(new RetryInfo(Optional.of(at), 4, 65_000, 12_000, "away"))
            .build());
    assertThat(runLine("tunnels describe --table orders --tunnel audit --json")).isZero();
    JsonArray channels =
        JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("channels");
    JsonObject stopped = channels.get(0).getAsJsonObject();
    assertThat(stopped.getAsJsonObject("failedAt").get("position").getAsLong()).isEqualTo(7);
    assertThat(stopped.get("retry").isJsonNull()).isTrue();
    JsonObject retried = channels.get(1).getAsJsonObject().getAsJsonObject("retry");
    assertThat(retried.get("attempts").getAsInt()).isEqualTo(4);
    assertThat(retried.get("error").getAsString()).isEqualTo("away");
  }

  @Test
  void a_tunnel_is_deleted() {
    runLine("tunnels create --table orders --tunnel audit");
    runLine("tunnels create --table orders --tunnel other");
    assertThat(runLine("tunnels delete --table orders --tunnel audit --yes")).isZero();
    assertThat(outLines()).containsExactly("tunnel audit of table orders deleted");
    assertThat(runLine("tunnels delete --table orders --tunnel other --yes --json")).isZero();
    assertThat(outLines()).containsExactly("{\"deleted\":\"other\",\"table\":\"orders\"}");
    assertThat(service.tunnels).isEmpty();
    assertThat(runLine("tunnels delete --table orders --tunnel audit --yes")).isEqualTo(4);
    assertThat(errLines())
        .containsExactly("tunnel tunnels delete: table 'orders' has no tunnel 'audit'");
  }

  @Test
  void a_tunnel_is_deleted_only_when_that_is_really_meant() {
    runLine("tunnels create --table orders --tunnel audit");
    List<SessionInfo> sessions = List.of(new SessionInfo("s1", "worker-a", 1, 0, 9_000));
    service.describe("orders", "audit", false, List.of(), sessions);
    assertThat(runLine("tunnels delete --table orders --tunnel audit")).isEqualTo(2);
    assertThat(errLines())
        .startsWith(
            "tunnel audit of table orders has 0 channels, behind by 0 rows; its checkpoints would"
                + " be lost for good, and 1 session would end",
            "tunnel tunnels delete: nothing was deleted: add --yes to do it");
    assertThat(service.tunnels).hasSize(1);

    service.questions.clear();
    service.answer = Optional.of("y");
    assertThat(runLine("tunnels delete --table orders --tunnel audit --json")).isEqualTo(2);
    assertThat(service.questions).isEmpty();
    assertThat(runLine("tunnels delete --table orders --tunnel audit")).isZero();
    assertThat(service.questions).containsExactly("Do it? [y/N] ");
    assertThat(service.tunnels).isEmpty();
  }
}
