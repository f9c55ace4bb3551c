package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.partition.ShardWaits.settle;
import static io.tunnel.server.partition.ShardWaits.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a shard when something throws that is no exception, as when memory runs out. */
final class ShardErrorsTest {

  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);

  private final HeldRows rows = new HeldRows();
  private Shard shard;

  /** Its clock is asked for the time in front of each group and at each commit. */
  private static final class Clock implements Shard.Clock {
    private final TestClock real = new TestClock();
    private volatile boolean isBroken;

    @Override
    public long epochMicros() {
      if (isBroken) {
        throw new OutOfMemoryError("injected");
      }
      return real.epochMicros();
    }

    @Override
    public long nanos() {
      return real.nanos();
    }
  }

  private Clock start() throws IOException {
    Clock clock = new Clock();
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(TestLogs.open(new CrashDisk(), 0)),
            rows,
            new NoMeter(),
            clock);
    shard.start();
    return clock;
  }

  @AfterEach
  void close() throws IOException {
    shard.close();
  }

  private Outcomes write(String key) {
    Outcomes outcome = new Outcomes();
    shard.write(Outcomes.write(batch(1, put(key)), false, outcome));
    return outcome;
  }

  @Test
  void an_error_under_a_write_fails_the_shard_and_what_waits_is_told_so() throws Exception {
    Clock clock = start();
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    clock.isBroken = true;
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(write("c").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(shard.hasFailed()).isTrue();
  }

  @Test
  void an_error_of_a_task_fails_the_shard_and_its_thread_goes_on() throws Exception {
    var unused = start();
    shard.execute(
        1,
        () -> {
          throw new StackOverflowError("injected");
        });
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    settle(shard);
    assertThat(shard.hasFailed()).isTrue();
  }

  @Test
  void an_error_under_a_fold_fails_the_shard_though_nobody_writes() throws Exception {
    var unused = start();
    rows.breakDown();
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    until(shard::hasFailed);
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
  }
}
