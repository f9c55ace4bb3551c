package io.tunnel.server.kafka;

import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.AppendTail.End;
import io.tunnel.server.replica.append.ReadableAppendLog;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The topics {@code CLUSTER.log.ID} of tables as the log of their partitions. */
final class KafkaAppends implements ReadableAppendLog {

  /** Bytes of all appends of a node that have not ended. */
  static final long BYTES_UNDER_WAY_MAX = 128L << 20;

  private final KafkaConfig config;
  private final Admin admin;
  private final AppendTopics appendTopics;
  private final PartitionTopics topics;
  private final AppendSender sender;

  KafkaAppends(
      KafkaConfig config,
      Admin admin,
      AppendTopics appendTopics,
      PartitionTopics topics,
      Shard.Clock clock) {
    this.config = config;
    this.admin = admin;
    this.appendTopics = appendTopics;
    this.topics = topics;
    Map<String, Object> settings = new ClientSettings(config).appender();
    this.sender =
        new AppendSender(
            AppendSender.Carries.APPENDS,
            () ->
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
            ClientSettings.buffer(settings),
            BYTES_UNDER_WAY_MAX,
            config.times(),
            clock);
    sender.start();
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, Appended appended) {
    topics
        .of(partition)
        .ifPresentOrElse(
            place -> sender.append(topic(place), header, value, appended),
            // The catalog of this node may lag.
            () -> appended.done(Optional.empty()));
  }

  @Override
  public boolean isFull() {
    return sender.isFull();
  }

  private TopicPartition topic(Place place) {
    return new TopicPartition(AppendTopics.log(config.cluster(), place.tableId()), place.index());
  }

  private Optional<TopicPartition> topic(int partition) {
    return topics.of(partition).map(this::topic);
  }

  @Override
  public AppendTail tail(AppendTail.Listener listener) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            new ClientSettings(config).tail(),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    KafkaAppendTail tail = new KafkaAppendTail(consumer, this::topic, this::ends, listener);
    tail.start();
    return tail;
  }

  private Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    return offsets(
        partitions,
        OffsetSpec.latest(),
        info -> new End(info.offset(), info.leaderEpoch().orElse(AppendTail.NO_EPOCH)));
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    return offsets(partitions, OffsetSpec.earliest(), ListOffsetsResultInfo::offset);
  }

  private <T> Map<Integer, CompletableFuture<T>> offsets(
      Collection<Integer> partitions, OffsetSpec spec, Function<ListOffsetsResultInfo, T> takes) {
    Map<Integer, CompletableFuture<T>> answers = new HashMap<>();
    Map<Integer, TopicPartition> known = new HashMap<>();
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (int partition : partitions) {
      Optional<TopicPartition> topic = topic(partition);
      if (topic.isPresent()) {
        known.put(partition, topic.get());
        asked.put(topic.get(), spec);
      } else {
        answers.put(partition, CompletableFuture.failedFuture(PartitionTopics.unknown(partition)));
      }
    }
    if (!asked.isEmpty()) {
      ListOffsetsResult result =
          admin.listOffsets(
              asked,
              new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED)
                  .timeoutMs(config.times().requestMs()));
      known.forEach(
          (partition, topic) ->
              answers.put(
                  partition,
                  AdminFutures.of("tell the offsets of " + topic, result.partitionResult(topic))
                      .thenApply(takes)));
    }
    return answers;
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    return topics
        .of(partition)
        .map(place -> appendTopics.deleteLogBefore(place, offset))
        .orElseGet(() -> CompletableFuture.failedFuture(PartitionTopics.unknown(partition)));
  }

  /** Fails what is in flight. */
  @Override
  public void close() {
    sender.close();
  }
}
