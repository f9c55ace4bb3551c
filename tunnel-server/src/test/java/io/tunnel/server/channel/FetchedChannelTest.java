package io.tunnel.server.channel;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.PartialChanges;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes that have to be fetched before they can be delivered, or are given up meanwhile. */
final class FetchedChannelTest {

  private static final int PARTITION = 4;

  private final FakeConnection connection = new FakeConnection();
  private LocalLog log;
  private PartialChanges changes;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    changes = new PartialChanges(log);
  }

  private Channel channel() {
    Channel channel =
        TestChannels.of(changes, 300).stream(
            new Channel.Start(1, 7, PARTITION, 0),
            OptionalLong.empty(),
            Optional.empty(),
            connection);
    channel.start();
    return channel;
  }

  private void commit() throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(PARTITION, put("k")));
    log.append(group, false, 1);
  }

  @Test
  void a_channel_waits_for_what_is_fetched_and_nothing_is_skipped_meanwhile() throws IOException {
    commit();
    commit();
    Channel channel = channel();
    changes.fetch(PARTITION, true);
    connection.credit(channel, 10_000);
    connection.runAll();
    assertThat(connection.positions).isEmpty();
    changes.fetch(PARTITION, false);
    connection.runAll();
    assertThat(connection.positions).containsExactly(1L, 2L);
    assertThat(connection.failures).isEmpty();
  }

  @Test
  void what_is_given_up_before_it_is_read_is_planned_again() throws IOException {
    commit();
    log.seal();
    Extents planned = log.plan(PARTITION, 1, 1_000);
    log.trim(Map.of(PARTITION, 0L), partition -> true, Long.MAX_VALUE);
    commit();
    Channel channel = channel();
    changes.planNext(planned);
    changes.planNext(Extents.held(List.of(fetched())));
    connection.credit(channel, 10_000);
    assertThat(connection.positions).isEmpty();
    assertThat(connection.failures).isEmpty();
    connection.runAll();
    assertThat(connection.positions).containsExactly(1L, 2L);
  }

  /** The first change, from another log. */
  private static ChangeBatch fetched() {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.add(put("k"));
    byte[] array = builder.build(PARTITION, 1, 1);
    return ChangeBatch.parse(array, 0, array.length);
  }

  @Test
  void what_is_given_up_and_not_elsewhere_is_lost() throws IOException {
    commit();
    log.seal();
    Extents planned = log.plan(PARTITION, 1, 1_000);
    log.trim(Map.of(PARTITION, 0L), partition -> true, Long.MAX_VALUE);
    commit();
    Channel channel = channel();
    changes.planNext(planned);
    connection.credit(channel, 10_000);
    connection.runAll();
    assertThat(connection.positions).isEmpty();
    assertThat(connection.failures.get(0).code()).isEqualTo(ErrorCode.HISTORY_LOST);
  }
}
