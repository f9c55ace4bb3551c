package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.TailListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a tail told, for a test to wait for. */
public final class Reads implements TailListener {

  private static final long SECONDS_MAX = 30;

  private final BlockingQueue<Read> reads = new LinkedBlockingQueue<>();
  private final BlockingQueue<Lost> losses = new LinkedBlockingQueue<>();

  record Read(int partition, long from, List<Stored> records, long next, long readMicros) {}

  record Lost(int partition, long offset, long first) {}

  @Override
  public void read(int partition, long from, List<Stored> records, long next, long readMicros) {
    reads.add(new Read(partition, from, records, next, readMicros));
  }

  @Override
  public void lost(int partition, long offset, long first) {
    losses.add(new Lost(partition, offset, first));
  }

  Read read() throws InterruptedException {
    Read read = reads.poll(SECONDS_MAX, TimeUnit.SECONDS);
    assertThat(read).as("something is read").isNotNull();
    return read;
  }

  Lost lost() throws InterruptedException {
    Lost lost = losses.poll(SECONDS_MAX, TimeUnit.SECONDS);
    assertThat(lost).as("a partition is lost").isNotNull();
    return lost;
  }

  /** All records that are told until {@code next} is reached; of one partition. */
  List<Stored> until(long next) throws InterruptedException {
    List<Stored> all = new ArrayList<>();
    Read read;
    do {
      read = read();
      all.addAll(read.records());
    } while (read.next() < next);
    return all;
  }

  boolean isEmpty() {
    return reads.isEmpty();
  }

  boolean isQuietFor(long ms) throws InterruptedException {
    Read read = reads.poll(ms, TimeUnit.MILLISECONDS);
    if (read != null) {
      reads.add(read);
    }
    return read == null;
  }
}
