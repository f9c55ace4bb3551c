package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.SharedLog;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/** The topics of tables as the log of their partitions. Closing it does not close its tails. */
final class KafkaLog implements SharedLog {

  private final KafkaConfig config;
  private final PartitionTopics topics;
  private final Shard.Clock clock;
  private final KafkaOffsets offsets;
  private final TopicOrigins origins;
  private final KafkaAppender appender;

  KafkaLog(
      KafkaConfig config,
      PartitionTopics topics,
      KafkaOffsets offsets,
      TopicOrigins origins,
      Shard.Clock clock) {
    this.config = config;
    this.topics = topics;
    this.clock = clock;
    this.offsets = offsets;
    this.origins = origins;
    ClientSettings settings = new ClientSettings(config);
    Map<String, Object> prompt = settings.promptAppender();
    Map<String, Object> gathering = settings.appender(config.times().lingerMs());
    this.appender =
        new KafkaAppender(
            new KafkaAppender.Producers(
                () -> producer(prompt),
                () -> producer(gathering),
                ClientSettings.buffer(prompt),
                ClientSettings.buffer(gathering)),
            config.times(),
            clock);
    appender.start();
  }

  private static KafkaProducer<Bytes, Bytes> producer(Map<String, Object> settings) {
    return new KafkaProducer<>(settings, RecordFormat.SERIALIZER, RecordFormat.SERIALIZER);
  }

  @Override
  public void append(int partition, List<Entry> entries, Appended appended) {
    Optional<Place> place = topics.of(partition);
    if (place.isEmpty()) {
      appended.done(Optional.of(KafkaOffsets.unknown(partition)));
      return;
    }
    TopicPartition to = KafkaOffsets.topic(config.cluster(), place.get());
    appender.append(to, entries, appended);
  }

  @Override
  public Tail tail(TailListener listener) {
    KafkaConsumer<Bytes, Bytes> consumer =
        new KafkaConsumer<>(
            new ClientSettings(config).tail(),
            RecordFormat.DESERIALIZER,
            RecordFormat.DESERIALIZER);
    KafkaTail tail =
        new KafkaTail(
            consumer,
            partition ->
                topics.of(partition).map(place -> KafkaOffsets.topic(config.cluster(), place)),
            new Forgetting(listener),
            clock);
    tail.start();
    return tail;
  }

  /**
   * Forgets a partition's origin when a record of it is lost, so that the next question for the
   * origin asks Kafka.
   */
  private final class Forgetting implements TailListener {
    private final TailListener listener;

    Forgetting(TailListener listener) {
      this.listener = listener;
    }

    @Override
    public void read(int partition, long from, List<Stored> records, long next, long readMicros) {
      listener.read(partition, from, records, next, readMicros);
    }

    @Override
    public void lost(int partition, long offset, long first) {
      topics
          .of(partition)
          .ifPresent(place -> origins.forget(KafkaOffsets.topic(config.cluster(), place).topic()));
      listener.lost(partition, offset, first);
    }
  }

  @Override
  public CompletableFuture<End> end(int partition) {
    Optional<Place> place = topics.of(partition);
    if (place.isEmpty()) {
      return CompletableFuture.failedFuture(KafkaOffsets.unknown(partition));
    }
    String topic = KafkaOffsets.topic(config.cluster(), place.get()).topic();
    return offsets
        .ends(List.of(partition))
        .thenCombine(origins.of(topic), (ends, origin) -> new End(ends.get(partition), origin));
  }

  @Override
  public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<End>> ends = new HashMap<>();
    offsets
        .endOfEach(partitions)
        .forEach(
            (partition, asked) ->
                ends.put(
                    partition,
                    topics
                        .of(partition)
                        .map(place -> KafkaOffsets.topic(config.cluster(), place).topic())
                        .map(topic -> asked.thenCombine(origins.of(topic), End::new))
                        .orElseGet(
                            () ->
                                CompletableFuture.failedFuture(KafkaOffsets.unknown(partition)))));
    return ends;
  }

  @Override
  public void close() throws IOException {
    appender.close();
  }
}
