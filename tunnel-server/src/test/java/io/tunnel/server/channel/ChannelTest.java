package io.tunnel.server.channel;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ChannelTest {

  private static final int PARTITION = 4;
  private static final int DELIVERY_BYTES_MAX = 600;

  private final CrashDisk disk = new CrashDisk();
  private final FakeConnection connection = new FakeConnection();
  private LocalLog log;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(disk, 0);
  }

  private Channel channel(long checkpointed) {
    return channel(checkpointed, TestChannels.unhindered(DELIVERY_BYTES_MAX));
  }

  private Channel channel(long checkpointed, Channels.Pacing pacing) {
    Channel channel =
        new StreamChannel(
            new Channel.Start(1, 7, PARTITION, checkpointed),
            new StreamChannel.End(OptionalLong.empty(), Optional.empty()),
            log,
            connection,
            pacing);
    channel.start();
    return channel;
  }

  private void commit(int rows, int valueBytes) throws IOException {
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      changes.add(put("k", new Column("c", ColumnValue.fromString("v".repeat(valueBytes)))));
    }
    commit(batch(PARTITION, changes));
  }

  private void commit(ChangeBatch batch) throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch);
    log.append(group, false, 1);
  }

  private static List<Long> positions(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_change_is_delivered_once_and_in_order_whatever_happens_when(long seed)
      throws IOException {
    Random random = new Random(seed);
    commit(20, 10);
    long checkpointed = random.nextInt(21);
    Channel channel =
        seed % 2 == 0
            ? channel(checkpointed)
            : channel(checkpointed, TestChannels.slow(connection, DELIVERY_BYTES_MAX));
    connection.duringDelivery =
        () -> {
          if (random.nextInt(4) == 0) {
            connection.isWritable = random.nextBoolean();
            if (connection.isWritable) {
              channel.resume();
            }
          }
        };
    for (int step = 0; step < 80; step++) {
      switch (random.nextInt(7)) {
        case 0 -> commit(1 + random.nextInt(5), random.nextInt(300));
        case 4 -> connection.restOver();
        case 1 -> connection.credit(channel, 1 + random.nextInt(900));
        case 2 -> connection.isWritable = false;
        case 3 -> {
          connection.isWritable = true;
          channel.resume();
        }
        default -> {
          Runnable task = connection.posted.poll();
          if (task != null) {
            task.run();
          }
        }
      }
      if (random.nextInt(10) == 0) {
        connection.runAll();
        requireNothingForgotten(checkpointed);
      }
    }
    connection.duringDelivery = () -> {};
    connection.isWritable = true;
    channel.resume();
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.positions)
        .isEqualTo(positions(checkpointed + 1, log.committed(PARTITION)));
    assertThat(connection.failures).isEmpty();
  }

  /** When nothing is left to run, nothing waits that could be delivered. */
  private void requireNothingForgotten(long checkpointed) {
    boolean couldDeliver = connection.isWritable && connection.credit() > 0;
    assertThat(couldDeliver && connection.delivered(checkpointed) < log.committed(PARTITION))
        .isFalse();
  }

  @Test
  void what_is_far_behind_waits_for_its_turns_and_what_is_near_the_end_does_not()
      throws IOException {
    for (int i = 0; i < 10; i++) {
      commit(1, 100);
    }
    Channel late = channel(0, TestChannels.slow(connection, 200));
    connection.credit(late, 1 << 20);
    assertThat(connection.positions).as("the first is for nothing").isEqualTo(positions(1, 1));
    connection.posted.remove().run();
    assertThat(connection.resting).hasSize(1);
    late.resume();
    connection.posted.remove().run();
    assertThat(connection.positions).as("it rests whatever wakes it").hasSize(1);
    assertThat(connection.resting).hasSize(1);
    connection.runAll();
    assertThat(connection.positions).isEqualTo(positions(1, 10));
    assertThat(connection.nanos).as("1,000 bytes a second").isGreaterThan(1_800_000_000L);
    for (int i = 0; i < 10; i++) {
      commit(1, 100);
      connection.posted.remove().run();
    }
    assertThat(connection.positions).isEqualTo(positions(1, 20));
    assertThat(connection.resting).isEmpty();
  }

  @Test
  void nothing_is_read_before_there_is_credit() throws IOException {
    Channel channel = channel(0);
    commit(3, 10);
    connection.runAll();
    assertThat(connection.positions).isEmpty();
    connection.credit(channel, 1);
    assertThat(connection.positions).isEqualTo(positions(1, 3));
    commit(1, 10);
    connection.runAll();
    assertThat(connection.positions).as("its credit is used up").hasSize(3);
  }

  @Test
  void a_channel_that_resumes_inside_a_batch_delivers_what_is_behind_its_checkpoint()
      throws IOException {
    commit(10, 10);
    Channel channel = channel(4);
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.positions).isEqualTo(positions(5, 10));
  }

  @Test
  void many_commits_post_one_wake_up() throws IOException {
    channel(0);
    for (int i = 0; i < 100; i++) {
      commit(1, 1);
    }
    assertThat(connection.posted).hasSize(1);
  }

  @Test
  void a_stopped_channel_delivers_nothing_and_is_not_told() throws IOException {
    Channel channel = channel(0);
    commit(1, 1);
    channel.stop();
    connection.runAll();
    commit(1, 1);
    connection.credit(channel, 1_000);
    connection.runAll();
    assertThat(connection.positions).isEmpty();
    assertThat(connection.posted).isEmpty();
  }

  @Test
  void damage_is_reported_once_and_ends_the_channel() throws IOException {
    commit(5, 10);
    long end = log.end();
    commit(5, 10);
    disk.flip(disk.names(".log").get(0), (int) end + 100, 2);
    Channel channel = channel(5);
    connection.credit(channel, 1 << 20);
    connection.runAll();
    commit(5, 10);
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.failures).hasSize(1);
    assertThat(connection.failures.get(0).code()).isEqualTo(ErrorCode.CORRUPT);
    assertThat(connection.positions).isEmpty();
  }

  @Test
  void a_disk_that_cannot_be_read_is_reported_as_such() throws IOException {
    commit(5, 10);
    disk.failAfter(CrashDisk.Operation.READ, 0);
    connection.credit(channel(0), 1 << 20);
    assertThat(connection.failures.get(0).code()).isEqualTo(ErrorCode.STORAGE_FAILED);
  }

  @Test
  void no_wake_up_is_lost_between_the_threads_of_log_and_connection() throws Exception {
    Channel channel = channel(0);
    connection.credit(channel, Integer.MAX_VALUE);
    int commits = 5_000;
    Thread owner =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < commits; i++) {
                  commit(1, 1);
                }
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    owner.start();
    while (owner.isAlive()) {
      connection.runAll();
    }
    owner.join();
    connection.runAll();
    assertThat(connection.positions).isEqualTo(positions(1, commits));
  }

  /** That comes as an error, as from Netty when no direct memory is left. */
  @Test
  void a_channel_for_whose_delivery_there_is_no_memory_fails_and_does_not_fall_silent()
      throws IOException {
    commit(5, 10);
    connection.duringDelivery =
        () -> {
          throw new InternalError("no memory for a frame");
        };
    Channel channel = channel(0);
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.failures).hasSize(1);
    assertThat(connection.failures.get(0).code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(connection.failures.get(0)).hasMessageContaining("no memory for a frame");
  }
}
