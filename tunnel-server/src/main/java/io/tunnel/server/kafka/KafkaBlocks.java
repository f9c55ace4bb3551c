package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The topics {@code CLUSTER.rows.ID} of tables as the logs of the blocks of snapshots. Blocks have
 * a producer of their own: blocks that a broker is slow to take use no buffer space of appends, and
 * a fatal error of either producer fails no record of the other one.
 */
final class KafkaBlocks implements SnapshotBlocks {

  /** Bytes of all blocks of a node that have not ended: a node writes one snapshot at a time. */
  static final long BYTES_UNDER_WAY_MAX = 32L << 20;

  private final KafkaConfig config;
  private final AppendTopics appendTopics;
  private final PartitionTopics topics;
  private final Shard.Clock clock;
  private final AppendSender sender;

  KafkaBlocks(
      KafkaConfig config, AppendTopics appendTopics, PartitionTopics topics, Shard.Clock clock) {
    this.config = config;
    this.appendTopics = appendTopics;
    this.topics = topics;
    this.clock = clock;
    Map<String, Object> settings = new ClientSettings(config).appender();
    this.sender =
        new AppendSender(
            AppendSender.Carries.BLOCKS,
            () ->
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
            ClientSettings.buffer(settings),
            BYTES_UNDER_WAY_MAX,
            config.times(),
            clock);
    sender.start();
  }

  /**
   * The key of the record is the block's name. Only copies of a block have its name, so a
   * compaction that an operator switches on by mistake deletes no block.
   */
  @Override
  public void append(int partition, Bytes block, Appended appended) {
    Optional<TopicPartition> topic = topic(partition);
    if (topic.isEmpty()) {
      // The table was dropped, or the catalog of this node lags.
      appended.done(OptionalLong.empty());
      return;
    }
    byte[] value = block.toByteArray();
    byte[] name = Bytes.copyOf(value, 0, Math.min(NAME_BYTES, value.length)).toByteArray();
    sender.append(
        topic.get(),
        name,
        value,
        placed ->
            appended.done(
                placed.map(at -> OptionalLong.of(at.offset())).orElseGet(OptionalLong::empty)));
  }

  private Optional<TopicPartition> topic(int partition) {
    return topics
        .of(partition)
        .map(
            place ->
                new TopicPartition(
                    AppendTopics.rows(config.cluster(), place.tableId()), place.index()));
  }

  @Override
  public Reading reading(int partition) {
    return new KafkaBlockReading(
        partition,
        () ->
            new KafkaConsumer<>(
                new ClientSettings(config).tail(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer()),
        () -> topic(partition),
        config.times(),
        clock::nanos);
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    Optional<Place> place = topics.of(partition);
    return place.isPresent()
        ? appendTopics.deleteRowsBefore(place.get(), offset)
        : CompletableFuture.failedFuture(PartitionTopics.unknown(partition));
  }

  /** Fails the blocks in flight. */
  @Override
  public void close() {
    sender.close();
  }
}
