package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Streams that start and end at moments, held against a stream of everything beside them. */
@Tag("proof-service")
class StreamMomentsTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS = 500;
  private static final int CHANGES = 100;

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private Scene scene;
  private Channels everything;
  private WriterProcess writer;
  private WorkerProcess reference;

  @BeforeEach
  void begin() {
    server = stage.server();
    scene = new Scene(stage, server, PARTITIONS);
    everything = scene.tunnel("everything", TunnelType.Stream);
    reference = scene.worker(everything, "reference");
    writer = scene.writer();
    writer.awaitMoreApplied(ROWS);
  }

  /** The changes of a partition whose commit times are so. */
  private static Map<Integer, List<Seen>> only(Sightings all, Predicate<Long> commitMicros) {
    Map<Integer, List<Seen>> some = all.changes();
    some.replaceAll(
        (partition, changes) ->
            changes.stream().filter(seen -> commitMicros.test(seen.commitMicros())).toList());
    return some;
  }

  private static long micros(long ms) {
    return TimeUnit.MILLISECONDS.toMicros(ms);
  }

  /** Returns when each partition has more changes than now. */
  private void awaitMoreCommitted() {
    Map<Integer, Long> now = scene.committed();
    Poll.until(
        "changes of every partition",
        () ->
            scene.committed().entrySet().stream()
                .allMatch(at -> at.getValue() >= now.get(at.getKey()) + CHANGES));
  }

  /** When such a part of what the reference has seen by now was committed; 0 for nothing. */
  private long seenMs(int numerator, int denominator) {
    List<Seen> seen = reference.seen();
    return seen.stream()
        .map(each -> TimeUnit.MICROSECONDS.toMillis(each.commitMicros()))
        .sorted()
        .skip((long) seen.size() * numerator / denominator)
        .findFirst()
        .orElse(0L);
  }

  /**
   * Partitions with changes that were committed between these moments, as far as they were seen.
   */
  private long partitionsBetween(long startMs, long endMs) {
    return reference.seen().stream()
        .filter(seen -> seen.commitMicros() >= micros(startMs))
        .filter(seen -> seen.commitMicros() < micros(endMs))
        .map(Seen::partition)
        .distinct()
        .count();
  }

  private Sightings referenceToTheEnd() {
    Ledger ledger = new Ledger(writer.stop());
    everything.awaitDrained();
    Sightings all = new Sightings().add(reference.stop());
    assertThat(ledger.requireConsumed(all)).isNotNegative();
    return all;
  }

  @Test
  void a_stream_between_two_moments_of_the_past_is_exactly_what_was_committed_between_them() {
    awaitMoreCommitted();
    // Some change is committed in the first millisecond of it, and some in the first behind it; a
    // channel without any would never be held.
    long[] moments = new long[2];
    Poll.until(
        "changes of every partition between two moments",
        () -> {
          moments[0] = seenMs(1, 10);
          moments[1] = seenMs(9, 10);
          return partitionsBetween(moments[0], moments[1]) == PARTITIONS;
        });
    long startMs = moments[0];
    long endMs = moments[1];
    awaitMoreCommitted();
    Channels part = scene.stream("part", StreamTunnelConfig.fromTime(startMs).withEnd(endMs));
    WorkerProcess worker = scene.worker(part, "worker");
    part.awaitTerminated(ChannelType.Stream);
    Sightings seen = new Sightings().add(worker.stop());
    assertThat(worker.told("ended")).isEqualTo(PARTITIONS);
    assertThat(seen.repeated()).isZero();

    Sightings all = referenceToTheEnd();
    assertThat(seen.changes())
        .isEqualTo(only(all, at -> at >= micros(startMs) && at < micros(endMs)));
    assertThat(seen.count()).isPositive().isLessThan(all.count());
  }

  @Test
  void ends_that_come_while_it_runs_or_while_the_server_is_away_are_as_exact() {
    long runningMs = System.currentTimeMillis() + 2_500;
    Channels running = scene.stream("running", StreamTunnelConfig.EARLIEST.withEnd(runningMs));
    WorkerProcess first = scene.worker(running, "first");
    running.awaitProgress();
    server.kill();
    server.start();
    running.awaitTerminated(ChannelType.Stream);
    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(runningMs);

    long awayMs = System.currentTimeMillis() + 500;
    Channels away = scene.stream("away", StreamTunnelConfig.EARLIEST.withEnd(awayMs));
    WorkerProcess second = scene.worker(away, "second");
    writer.awaitMoreApplied(ROWS);
    server.kill();
    Poll.until("the end comes", () -> System.currentTimeMillis() > awayMs);
    server.start();
    away.awaitTerminated(ChannelType.Stream);
    writer.awaitMoreApplied(ROWS);

    Sightings all = referenceToTheEnd();
    Sightings ofFirst = new Sightings().add(first.stop());
    Sightings ofSecond = new Sightings().add(second.stop());
    assertThat(ofFirst.changes()).isEqualTo(only(all, at -> at < micros(runningMs)));
    assertThat(ofSecond.changes()).isEqualTo(only(all, at -> at < micros(awayMs)));
    assertThat(ofFirst.count()).isLessThan(all.count());
    assertThat(ofSecond.count()).isLessThan(all.count());
  }
}
