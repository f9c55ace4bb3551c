package io.tunnel.server.kafka;

import io.tunnel.server.changes.Bounds;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.partition.Shard;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks Kafka where partitions begin and end, for all partitions of a call at once. Safe for use by
 * any thread; a thread of Kafka, which must not block, completes the answer within the time of one
 * request.
 */
final class KafkaOffsets {

  /**
   * Safety margin by which the window without compaction is shortened: for brokers' clocks that
   * differ from this node's, and for the time between question and read.
   */
  private static final long MARGIN_MS_MAX = 30_000;

  private final String cluster;
  private final int requestMs;
  private final Admin admin;
  private final PartitionTopics topics;
  private final Shard.Clock clock;

  KafkaOffsets(KafkaConfig config, Admin admin, PartitionTopics topics, Shard.Clock clock) {
    this.cluster = config.cluster();
    this.requestMs = config.times().requestMs();
    this.admin = admin;
    this.topics = topics;
    this.clock = clock;
  }

  /** The offset behind the last record of each partition. */
  public CompletableFuture<Map<Integer, Long>> ends(Collection<Integer> partitions) {
    return offsets(partitions, partition -> OffsetSpec.latest());
  }

  /** The ends of many partitions; a failure of one partition does not affect the others. */
  Map<Integer, CompletableFuture<Long>> endOfEach(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<Long>> ends = new HashMap<>();
    answerOfEach(partitions, place -> OffsetSpec.latest())
        .forEach(
            (partition, answer) ->
                ends.put(partition, answer.thenApply(ListOffsetsResultInfo::offset)));
    return ends;
  }

  private Map<Integer, CompletableFuture<ListOffsetsResultInfo>> answerOfEach(
      Collection<Integer> partitions, Function<Place, OffsetSpec> spec) {
    Map<Integer, CompletableFuture<ListOffsetsResultInfo>> answers = new HashMap<>();
    Map<Integer, TopicPartition> known = new HashMap<>();
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (int partition : partitions) {
      Optional<Place> place = topics.of(partition);
      if (place.isPresent()) {
        TopicPartition topic = topic(cluster, place.get());
        known.put(partition, topic);
        asked.put(topic, spec.apply(place.get()));
      } else {
        answers.put(partition, CompletableFuture.failedFuture(unknown(partition)));
      }
    }
    if (known.isEmpty()) {
      return answers;
    }
    ListOffsetsResult answer = admin.listOffsets(asked, options());
    known.forEach(
        (partition, topic) ->
            answers.put(
                partition,
                AdminFutures.of("tell the offsets of " + topic, answer.partitionResult(topic))));
    return answers;
  }

  private ListOffsetsOptions options() {
    return new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED).timeoutMs(requestMs);
  }

  /**
   * The offset of the first record that the log appended at or after a moment, in microseconds
   * since 1970; {@link Long#MAX_VALUE} where there is none yet.
   */
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    OffsetSpec spec = OffsetSpec.forTimestamp(ceilMs(Math.max(0, micros)));
    return offsets(partitions, partition -> spec);
  }

  /**
   * The end, and the begin of the window that Kafka certainly did not compact, as positions. Every
   * append that was acknowledged before the call is in front of the end.
   */
  public CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
    // The end first: records that are appended between the two calls are too young for compaction.
    return answers(partitions, partition -> OffsetSpec.latest())
        .thenCompose(
            ends ->
                offsets(partitions, partition -> spec(partition, nowMs))
                    .thenApply(firsts -> bounds(ends, firsts)));
  }

  private static Map<Integer, Bounds> bounds(
      Map<Integer, ListOffsetsResultInfo> ends, Map<Integer, Long> firsts) {
    Map<Integer, Bounds> bounds = new HashMap<>();
    ends.forEach((partition, end) -> bounds.put(partition, bounds(end, firsts.get(partition))));
    return bounds;
  }

  private static Bounds bounds(ListOffsetsResultInfo end, long first) {
    return new Bounds(
        Math.max(1, Math.min(first, end.offset())),
        Math.max(0, end.offset() - 1),
        end.leaderEpoch().map(epoch -> epoch + 1L));
  }

  /**
   * The {@link #bounds} of many partitions; a failure of one partition does not affect the others.
   * Begins and ends are asked for together, so that no partition waits for another's answer. A
   * window without records begins at the end, whichever answer came first, and so never too early.
   */
  Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
    Map<Integer, CompletableFuture<ListOffsetsResultInfo>> ends =
        answerOfEach(partitions, place -> OffsetSpec.latest());
    Map<Integer, CompletableFuture<Bounds>> bounds = new HashMap<>();
    answerOfEach(partitions, place -> spec(place, nowMs))
        .forEach(
            (partition, first) ->
                bounds.put(
                    partition,
                    ends.get(partition)
                        .thenCombine(first, (end, info) -> bounds(end, offset(info)))));
    return bounds;
  }

  private OffsetSpec spec(Place place, long nowMs) {
    if (place.retentionMs() == 0) {
      return OffsetSpec.earliest();
    }
    long margin = Math.min(MARGIN_MS_MAX, place.retentionMs() / 2);
    return OffsetSpec.forTimestamp(Math.max(0, nowMs - place.retentionMs() + margin));
  }

  private static long ceilMs(long micros) {
    return -Math.floorDiv(-micros, 1_000L);
  }

  private CompletableFuture<Map<Integer, Long>> offsets(
      Collection<Integer> partitions, Function<Place, OffsetSpec> spec) {
    return answers(partitions, spec)
        .thenApply(
            found -> {
              Map<Integer, Long> offsets = new HashMap<>();
              found.forEach((partition, info) -> offsets.put(partition, offset(info)));
              return offsets;
            });
  }

  private CompletableFuture<Map<Integer, ListOffsetsResultInfo>> answers(
      Collection<Integer> partitions, Function<Place, OffsetSpec> spec) {
    Map<Integer, CompletableFuture<ListOffsetsResultInfo>> ofEach = answerOfEach(partitions, spec);
    return CompletableFuture.allOf(ofEach.values().toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              Map<Integer, ListOffsetsResultInfo> answers = new HashMap<>();
              ofEach.forEach((partition, answer) -> answers.put(partition, answer.join()));
              return answers;
            });
  }

  /** Kafka answers -1 when no record is that young. */
  private static long offset(ListOffsetsResultInfo info) {
    return info.offset() < 0 ? Long.MAX_VALUE : info.offset();
  }

  static TopicPartition topic(String cluster, Place place) {
    return new TopicPartition(KafkaTopics.table(cluster, place.tableId()), place.index());
  }

  /** Retriable: the catalog of this node may be behind. */
  static LogUnavailableException unknown(int partition) {
    return new LogUnavailableException(
        "partition " + partition + " is not in the catalog of this node", null);
  }
}
