package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowKeysTest {

  private static RowKeys keys(ChannelType type) {
    return keys(type, 3, FakeLeaders.key(3));
  }

  private static RowKeys keys(ChannelType type, long position, Bytes key) {
    Optional<Long> none = Optional.empty();
    return new RowKeys(
        new Assignment(
            "s",
            "c",
            0,
            0,
            1,
            position,
            type,
            Optional.empty(),
            key,
            none,
            none,
            Bytes.EMPTY,
            none));
  }

  /** A delivery of rows whose keys are their positions. */
  private static Delivery delivery(long first, long last) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64);
    for (long id = first; id <= last; id++) {
      builder.add(new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of()));
    }
    byte[] batch = builder.build(0, first, 1);
    return new Delivery(0, 1, first, List.of(ChangeBatch.parse(batch, 0, batch.length)));
  }

  private static void give(RowKeys keys, long first, long last) {
    Delivery delivery = delivery(first, last);
    keys.received(delivery);
    keys.given(List.of(delivery), last);
  }

  @Test
  void a_position_has_the_key_of_its_row_or_of_the_last_known_before() {
    RowKeys keys = keys(ChannelType.BaseData);
    give(keys, 4, 6);
    give(keys, 7, 9);
    keys.received(delivery(10, 12));
    assertThat(keys.received()).isEqualTo(FakeLeaders.key(12));
    assertThat(keys.at(3)).isEqualTo(FakeLeaders.key(3));
    assertThat(keys.at(6)).isEqualTo(FakeLeaders.key(6));
    assertThat(keys.at(8)).isEqualTo(FakeLeaders.key(6));
    assertThat(keys.at(20)).isEqualTo(FakeLeaders.key(9));
    keys.forgetBefore(8);
    assertThat(keys.at(8)).isEqualTo(FakeLeaders.key(6));
  }

  @Test
  void other_channels_keep_none() {
    RowKeys keys = keys(ChannelType.Stream);
    give(keys, 4, 6);
    assertThat(keys.at(6)).isEqualTo(FakeLeaders.key(3));
    assertThat(keys.received()).isEqualTo(FakeLeaders.key(3));
  }

  @Test
  void the_first_and_the_newest_keys_are_kept_when_there_are_too_many() {
    RowKeys keys = keys(ChannelType.BaseData);
    int last = 3 + RowKeys.KEYS_MAX;
    for (int i = 4; i <= last; i++) {
      give(keys, i, i);
    }
    assertThat(keys.at(3)).isEqualTo(FakeLeaders.key(3));
    assertThat(keys.at(4)).isEqualTo(FakeLeaders.key(3));
    assertThat(keys.at(5)).isEqualTo(FakeLeaders.key(5));
    assertThat(keys.at(last)).isEqualTo(FakeLeaders.key(last));
    Bytes newest = keys.received();
    assertThat(newest).isEqualTo(FakeLeaders.key(last));
  }

  @Test
  void inside_the_first_input_of_a_channel_no_key_is_known() {
    RowKeys keys = keys(ChannelType.BaseData, 0, Bytes.EMPTY);
    give(keys, 1, 4);
    assertThat(keys.isKnownAt(0)).as("nothing to store").isTrue();
    assertThat(keys.isKnownAt(3)).isFalse();
    assertThat(keys.isKnownAt(4)).isTrue();
    give(keys, 5, 8);
    assertThat(keys.isKnownAt(6)).as("the key of row 4").isTrue();
    assertThat(keys(ChannelType.Stream, 0, Bytes.EMPTY).isKnownAt(3)).isTrue();
  }

  @Test
  void each_input_of_a_new_channel_can_be_checkpointed_however_many_were_given_since() {
    RowKeys keys = keys(ChannelType.BaseData, 0, Bytes.EMPTY);
    for (int i = 1; i <= 2 * RowKeys.KEYS_MAX; i++) {
      give(keys, i, i);
    }
    for (int i = 1; i <= 2 * RowKeys.KEYS_MAX; i++) {
      assertThat(keys.isKnownAt(i)).isTrue();
    }
    assertThat(keys.at(1)).isEqualTo(FakeLeaders.key(1));
    assertThat(keys.at(2)).isEqualTo(FakeLeaders.key(1));
  }
}
