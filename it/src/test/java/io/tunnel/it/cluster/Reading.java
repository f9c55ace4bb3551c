package io.tunnel.it.cluster;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.process.Service;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A thread that reads all partitions of a table without a tunnel, from their first changes on. */
final class Reading implements AutoCloseable {

  private static final Duration POLL = Duration.ofSeconds(1);

  private final PartitionReader reader;
  private final Map<Integer, Long> positions = new ConcurrentHashMap<>();
  private final List<Seen> seen = new ArrayList<>();
  private final Thread thread = new Thread(this::read, "reading");
  private volatile boolean isEnding;
  private volatile Optional<RuntimeException> failure = Optional.empty();

  Reading(Service service, TableInfo table) {
    reader = new PartitionReader(service.client(), table, PartitionReaderConfig.DEFAULTS);
    for (PartitionInfo partition : table.partitions()) {
      positions.put(partition.id(), 0L);
      reader.start(ReadStart.changes(partition.id(), 0));
    }
    thread.start();
  }

  private void read() {
    try {
      while (!isEnding) {
        reader.poll(POLL).ifPresent(this::take);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = Optional.of(e);
    }
  }

  private void take(PartitionRecords records) {
    records.records().forEach(each -> seen.add(Seen.of(ChannelType.Stream, each)));
    Seen last = seen.get(seen.size() - 1);
    positions.put(last.partition(), last.position());
    records.release();
  }

  /** Why it could not read on. */
  Optional<RuntimeException> failure() {
    return failure;
  }

  /** Waits until the reader has reached a position in each partition. */
  void awaitBeyond(Map<Integer, Long> goals) {
    Poll.until(
        Poll.LONG,
        () -> {
          failure.ifPresent(
              reason -> {
                throw new AssertionError("reading failed", reason);
              });
          return goals.entrySet().stream()
              .allMatch(goal -> positions.get(goal.getKey()) >= goal.getValue());
        },
        () -> "reading at " + positions + " of " + goals);
  }

  /** Ends it: all that it read, in its order. */
  List<Seen> stop() {
    close();
    return seen;
  }

  @Override
  public void close() {
    isEnding = true;
    reader.wakeUp();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the reader ends", e);
    } finally {
      reader.close();
    }
  }
}
