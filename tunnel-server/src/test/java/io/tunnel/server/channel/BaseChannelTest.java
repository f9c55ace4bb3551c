package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BaseChannelTest {

  private static final long EPOCH = 7;

  private final FakeConnection connection = new FakeConnection();
  private final FakeRows rows = new FakeRows();
  private Channels channels;

  @BeforeEach
  void open() throws IOException {
    channels = TestChannels.of(TestLogs.open(new CrashDisk(), 0), 200);
  }

  private Channel channel(long checkpointed, Bytes after) {
    Channel channel =
        channels.base(
            rows, "tunnel", new Channel.Start(1, EPOCH, 4, checkpointed), after, connection);
    channel.start();
    return channel;
  }

  private void runAll() {
    while (!rows.reads.isEmpty() || !connection.posted.isEmpty() || !connection.resting.isEmpty()) {
      rows.answer();
      connection.runAll();
    }
  }

  private static List<Bytes> keys(List<String> names) {
    return names.stream().map(TestRows::keyBytes).toList();
  }

  private static String name(int i) {
    return String.format("k%03d", i);
  }

  private void addRows(int count) {
    for (int i = 0; i < count; i++) {
      rows.names.add(name(i));
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_row_is_delivered_once_in_order_over_many_holders_and_then_the_end(long seed)
      throws IOException {
    Random random = new Random(seed);
    addRows(random.nextInt(40));
    if (seed % 2 == 1) {
      channels =
          new Channels(TestLogs.open(new CrashDisk(), 0), TestChannels.slow(connection, 200));
    }
    int checkpointed = 0;
    int holders = 1 + random.nextInt(4);
    for (int holder = 0; holder < holders; holder++) {
      int deliveredBefore = connection.positions.size();
      Bytes after = checkpointed == 0 ? Bytes.EMPTY : TestRows.keyBytes(name(checkpointed - 1));
      Channel channel = channel(checkpointed, after);
      play(channel, random);
      boolean isLast = holder == holders - 1;
      if (isLast) {
        connection.isWritable = true;
        connection.hasRoom = true;
        channel.resume();
        connection.credit(channel, 1 << 20);
        runAll();
      }
      int delivered = connection.positions.size() - deliveredBefore;
      assertThat(connection.positions.subList(deliveredBefore, connection.positions.size()))
          .isEqualTo(
              LongStream.rangeClosed(checkpointed + 1L, checkpointed + delivered).boxed().toList());
      assertThat(connection.keys.subList(deliveredBefore, connection.keys.size()))
          .isEqualTo(keys(rows.names).subList(checkpointed, checkpointed + delivered));
      if (isLast || !connection.ends.isEmpty()) {
        requireEnd(channel);
        return;
      }
      checkpointed += random.nextInt(delivered + 1);
      channel.stop();
      runAll();
    }
  }

  private void requireEnd(Channel channel) {
    long end = rows.names.size();
    assertThat(connection.ends).containsExactly(new ChannelEnd(1, EPOCH, end));
    connection.credit(channel, 1 << 20);
    channel.resume();
    runAll();
    assertThat(connection.ends).as("told once").hasSize(1);
    assertThat(connection.failures).isEmpty();
    assertThat(connection.hasPage).as("room is given back").isFalse();
  }

  private void play(Channel channel, Random random) {
    connection.duringDelivery =
        () -> {
          if (random.nextInt(4) == 0) {
            channel.resume();
          }
        };
    for (int step = random.nextInt(40); step > 0; step--) {
      switch (random.nextInt(5)) {
        case 0 -> connection.credit(channel, 1 + random.nextInt(200));
        case 1 -> {
          connection.isWritable = random.nextBoolean();
          connection.hasRoom = random.nextBoolean();
          if (connection.isWritable && connection.hasRoom) {
            channel.resume();
          }
        }
        case 2, 3 -> rows.answer();
        default -> {
          Runnable task = connection.posted.poll();
          if (task != null) {
            task.run();
          }
        }
      }
    }
    connection.duringDelivery = () -> {};
    // Credit is the channel's, so the next holder begins without.
    connection.creditOfNextHolder();
  }

  @Test
  void an_empty_partition_ends_at_once_without_credit() {
    channel(0, Bytes.EMPTY);
    assertThat(connection.ends).isEmpty();
    runAll();
    assertThat(connection.ends).containsExactly(new ChannelEnd(1, EPOCH, 0));
  }

  @Test
  void a_channel_whose_last_row_was_checkpointed_ends_there_without_credit() {
    addRows(3);
    channel(3, TestRows.keyBytes(name(2)));
    runAll();
    assertThat(connection.ends).containsExactly(new ChannelEnd(1, EPOCH, 3));
    assertThat(connection.positions).isEmpty();
  }

  @Test
  void nothing_is_read_before_there_is_credit() {
    addRows(3);
    Channel channel = channel(0, Bytes.EMPTY);
    runAll();
    assertThat(connection.positions).isEmpty();
    assertThat(rows.reads).isEmpty();
    connection.credit(channel, 1);
    assertThat(rows.reads).hasSize(1);
    runAll();
    assertThat(connection.positions).as("one row, since one always fits").containsExactly(1L);
  }

  @Test
  void nothing_is_read_without_room_for_a_page_and_each_page_gives_its_room_back() {
    addRows(3);
    connection.hasRoom = false;
    Channel channel = channel(0, Bytes.EMPTY);
    runAll();
    connection.credit(channel, 1 << 20);
    runAll();
    assertThat(connection.positions).isEmpty();
    connection.hasRoom = true;
    channel.resume();
    runAll();
    assertThat(connection.positions).hasSize(3);
    assertThat(connection.hasPage).isFalse();
  }

  @Test
  void rows_that_cannot_be_read_fail_the_channel_once() {
    addRows(3);
    Channel channel = channel(0, Bytes.EMPTY);
    rows.failure = Optional.of(new RefusedException(ErrorCode.CORRUPT, "a file is damaged"));
    runAll();
    connection.credit(channel, 1 << 20);
    runAll();
    assertThat(connection.failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.CORRUPT);
    assertThat(connection.positions).isEmpty();
    assertThat(connection.ends).isEmpty();
  }

  @Test
  void an_unexpected_failure_is_told_as_internal() {
    addRows(3);
    Channel channel = channel(0, Bytes.EMPTY);
    connection.duringDelivery =
        () -> {
          throw new IllegalStateException("no memory for a frame");
        };
    connection.credit(channel, 1 << 20);
    runAll();
    assertThat(connection.failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.INTERNAL);
    assertThat(connection.ends).isEmpty();
  }

  @Test
  void what_was_read_for_a_stopped_channel_is_dropped() {
    addRows(3);
    Channel channel = channel(0, Bytes.EMPTY);
    connection.credit(channel, 1 << 20);
    rows.answer();
    channel.stop();
    runAll();
    assertThat(connection.positions).isEmpty();
    assertThat(connection.ends).isEmpty();
  }

  @Test
  void a_base_channel_cannot_be_told_where_it_ends() {
    Channel channel = channel(0, Bytes.EMPTY);
    assertThatThrownBy(() -> channel.endAt(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ends where its rows end");
  }

  @Test
  void rows_for_whose_delivery_there_is_no_memory_fail_the_channel_too() {
    addRows(3);
    Channel channel = channel(0, Bytes.EMPTY);
    connection.duringDelivery =
        () -> {
          throw new InternalError("no memory for a frame");
        };
    connection.credit(channel, 1 << 20);
    runAll();
    assertThat(connection.failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.INTERNAL);
  }
}
