package io.tunnel.sdk.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.sdk.cluster.ReplicaStatus.Role;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AnswersTest {

  private static final PrimaryKey KEY = PrimaryKey.builder().add("k", "a").build();

  private static PrimaryKeyValue split(PrimaryKeyType type) {
    return switch (type) {
      case INTEGER -> PrimaryKeyValue.fromLong(-5);
      case STRING -> PrimaryKeyValue.fromString("m\0m");
      case BINARY -> PrimaryKeyValue.fromBinary(new byte[] {0, -1});
    };
  }

  private static TableDescription table(PrimaryKeyType type) {
    Bytes split = KeyCodec.encode(split(type));
    return new TableDescription(
        7,
        new TableMeta("t", List.of(new PrimaryKeySchema("k", type))),
        5,
        List.of(
            new PartitionDescription(1, Bytes.EMPTY, split, List.of(), 10, true, 20, 30, 4, 9),
            new PartitionDescription(
                2, split, Bytes.EMPTY, List.of(1), 0, false, 0, 0, 1, 0, Optional.of("n:7650"))));
  }

  @ParameterizedTest
  @EnumSource
  void ranges_of_partitions_are_key_values_and_open_where_the_table_ends(PrimaryKeyType type) {
    List<PartitionInfo> partitions = TableAnswers.uncounted(table(type)).partitions();
    assertThat(partitions)
        .containsExactly(
            new PartitionInfo(
                1,
                Optional.empty(),
                Optional.of(split(type)),
                List.of(),
                Optional.empty(),
                Optional.empty()),
            new PartitionInfo(
                2,
                Optional.of(split(type)),
                Optional.empty(),
                List.of(1),
                Optional.of("n:7650"),
                Optional.empty()));
  }

  @Test
  void figures_are_there_when_they_were_asked_for() {
    assertThat(TableAnswers.counted(table(PrimaryKeyType.STRING)).partitions())
        .extracting(partition -> partition.figures().orElseThrow())
        .containsExactly(
            new PartitionFigures(10, true, 20, 30, 4, 9),
            new PartitionFigures(0, false, 0, 0, 1, 0));
  }

  @Test
  void a_role_that_a_later_version_has_is_unknown() {
    NodeStatus status =
        new NodeStatus(
            "n1",
            List.of(
                new ClusterControl.ReplicaStatus(1, "LEADING", 3, 7, 9),
                new ClusterControl.ReplicaStatus(2, "WATCHING", 0, 9, 7),
                new ClusterControl.ReplicaStatus(
                    3, "FAILED", 3, 7, 9, Optional.of("block 2 is damaged")),
                new ClusterControl.ReplicaStatus(4, "OUTDATED", 3, 7, 9),
                new ClusterControl.ReplicaStatus(
                    5, "FAILED", 0, 0, ClusterControl.ReplicaStatus.UNKNOWN)));
    List<ReplicaStatus> replicas = ClusterAnswers.status(status).replicas();
    assertThat(replicas)
        .containsExactly(
            new ReplicaStatus(1, Role.LEADING, 3, 7, 9),
            new ReplicaStatus(2, Role.UNKNOWN, 0, 9, 7),
            new ReplicaStatus(3, Role.FAILED, 3, 7, 9, Optional.of("block 2 is damaged")),
            new ReplicaStatus(4, Role.OUTDATED, 3, 7, 9),
            new ReplicaStatus(5, Role.FAILED, 0, 0, -1));
    assertThat(replicas).extracting(ReplicaStatus::lag).containsExactly(2L, 0L, 2L, 2L, -1L);
  }

  /** Exports are kept as this JSON, so that a file of the first release is read by the next. */
  @Test
  void checkpoints_come_back_as_they_were_and_are_kept_in_the_form_of_the_protocol() {
    OperatorControl.CheckpointSet exported =
        new OperatorControl.CheckpointSet(
            7,
            "t",
            "audit",
            List.of(
                new OperatorControl.ChannelPosition(
                    1, ChannelType.BaseData, 4, Bytes.fromHex("0a"), true),
                new OperatorControl.ChannelPosition(
                    1, ChannelType.Stream, 90, Bytes.EMPTY, false, Optional.of(3L))));
    CheckpointSet kept = TunnelAnswers.checkpoints(exported);
    assertThat(TunnelAnswers.payload(kept)).isEqualTo(exported);
    assertThat(Json.toText(kept)).isEqualTo(Json.toText(exported));
    assertThat(Json.ofText(Json.toText(kept), CheckpointSet.class)).isEqualTo(kept);
  }

  @Test
  void all_that_a_server_says_of_a_channel_is_told() {
    FailureControl.Retry retry =
        new FailureControl.Retry(
            Optional.of(new FailureControl.FailedChange(8, KEY, 2)), 3, 400, 50, "away");
    ChannelDescription said =
        new ChannelDescription(
            "c",
            3,
            ChannelStatus.CLOSING,
            Optional.of("s1"),
            Optional.of("me"),
            11,
            12,
            13,
            14,
            15,
            16,
            17,
            ChannelType.Stream,
            true,
            Optional.of(18L),
            Optional.of("odd"),
            List.of("BaseData_3"),
            Optional.of(-19L),
            Optional.of(new FailureControl.FailedChange(7, KEY, 1)),
            Optional.of(retry));
    ChannelInfo channel = TunnelAnswers.channel(said);
    assertThat(channel.getChannelStatus()).isEqualTo(ChannelStatus.CLOSING);
    assertThat(channel.getClientId()).isEqualTo("s1");
    assertThat(channel.clientTag()).contains("me");
    assertThat(
            List.of(
                channel.epoch(),
                channel.checkpointed(),
                channel.delivered(),
                channel.committed(),
                channel.lagRows(),
                channel.lagBytes(),
                channel.getChannelRpo(),
                channel.end().orElseThrow(),
                channel.historyLeftMs().orElseThrow()))
        .containsExactly(11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, -19L);
    assertThat(channel.isPaused()).isTrue();
    assertThat(channel.error()).contains("odd");
    assertThat(channel.waitsFor()).containsExactly("BaseData_3");
    FailedChange retried = new FailedChange(3, 8, KEY, 2);
    assertThat(channel.retry()).contains(new RetryInfo(Optional.of(retried), 3, 400, 50, "away"));
    assertThat(channel.failedAt()).contains(retried);
    assertThat(channel).isEqualTo(TunnelAnswers.channel(said)).hasSameHashCodeAs(channel);
    assertThat(channel).isNotEqualTo(ChannelInfo.builder("c", 3, ChannelType.Stream).build());
  }
}
