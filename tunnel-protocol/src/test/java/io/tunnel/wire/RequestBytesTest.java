package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long requests may be. */
class RequestBytesTest {

  /** Of as many columns as a table has, each of bytes that are escaped. */
  private static Bytes longestKey() {
    PrimaryKey.Builder key = PrimaryKey.builder();
    List<PrimaryKeySchema> columns = new ArrayList<>();
    for (int i = 0; i < Limits.KEY_COLUMNS_MAX; i++) {
      byte[] zeros = new byte[Limits.KEY_COLUMN_BYTES_MAX];
      key.add("k" + i, PrimaryKeyValue.fromBinary(zeros));
      columns.add(new PrimaryKeySchema("k" + i, PrimaryKeyType.BINARY));
    }
    return KeyCodec.encode(key.build(), columns);
  }

  @Test
  void who_attaches_behind_the_longest_key_has_room_for_it() {
    long most = Long.MAX_VALUE;
    Attach attach =
        new Attach(
            "\u4e00".repeat(64),
            "\u4e00".repeat(64 + 16),
            Integer.MAX_VALUE,
            ChannelType.BaseData,
            most,
            most,
            longestKey(),
            Optional.of(most),
            Optional.of(most),
            Bytes.copyOf(new byte[2_048]),
            Optional.of(most));
    ReadPartition read =
        new ReadPartition(
            Integer.MAX_VALUE,
            ChannelType.BaseData,
            most,
            longestKey(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new KnownPosition(most, most)));
    assertThatCode(() -> Operation.ATTACH.requireSize(Json.encode(attach)))
        .doesNotThrowAnyException();
    assertThatCode(() -> Operation.READ_PARTITION.requireSize(Json.encode(read)))
        .doesNotThrowAnyException();
  }

  @Test
  void who_attaches_takes_little_more_than_that() {
    for (Operation operation : List.of(Operation.ATTACH, Operation.READ_PARTITION)) {
      assertThat(operation.requestBytesMax()).isEqualTo(32 * 1024);
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> operation.requireSize(new byte[32 * 1024 + 1]))
          .withMessageContaining(operation + " takes 32768 at most")
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    }
    assertThat(Operation.PARTITION_MAP.requestBytesMax()).isEqualTo(256 * 1024);
    assertThat(Operation.WRITE.requestBytesMax()).isGreaterThan(Limits.BATCH_BYTES_MAX);
  }
}
