package io.tunnel.bench.peers;

import io.tunnel.cli.bench.peer.Arrivals;
import io.tunnel.cli.bench.peer.BatchSettings;
import io.tunnel.cli.bench.peer.Look;
import io.tunnel.cli.bench.peer.Peer;
import io.tunnel.cli.bench.peer.RowReader;
import io.tunnel.cli.bench.peer.RowWriter;
import io.tunnel.cli.bench.peer.SourceRow;
import io.tunnel.kafka.broker.KafkaBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A Kafka broker; a table is a topic. */
public final class KafkaPeer implements Peer, AutoCloseable {

  private static final int CALL_SECONDS_MAX = 60;

  private final KafkaBroker broker;
  private final BatchSettings batches;
  private final String acks;
  private final Map<String, String> client;
  private final Admin admin;

  /**
   * Writes to {@code broker}.
   *
   * @param acks of its producer; it is idempotent with "all" alone
   */
  public KafkaPeer(KafkaBroker broker, BatchSettings batches, String acks) {
    this(broker, batches, acks, Map.of());
  }

  /** Writes as clients with those settings besides. */
  KafkaPeer(KafkaBroker broker, BatchSettings batches, String acks, Map<String, String> client) {
    this.acks = acks;
    this.client = client;
    this.broker = broker;
    this.batches = batches;
    Map<String, Object> settings = new HashMap<>(client);
    settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
    this.admin = Admin.create(settings);
  }

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public void create(String table, int partitions) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(table, partitions, (short) 1)))
        .all()
        .get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
  }

  @Override
  public void drop(String table) throws Exception {
    admin.deleteTopics(List.of(table)).all().get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
  }

  @Override
  public RowWriter openWriter(String table) {
    return openWriter(broker.bootstrap(), client, table, batches, acks);
  }

  /** A writer of records to a topic. */
  public static RowWriter openWriter(
      String bootstrap, String table, BatchSettings batches, String acks) {
    return openWriter(bootstrap, Map.of(), table, batches, acks);
  }

  private static RowWriter openWriter(
      String bootstrap,
      Map<String, String> client,
      String table,
      BatchSettings batches,
      String acks) {
    Map<String, Object> settings = new HashMap<>(client);
    settings.putAll(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
            ProducerConfig.ACKS_CONFIG, acks,
            ProducerConfig.LINGER_MS_CONFIG, batches.lingerMs(),
            ProducerConfig.BATCH_SIZE_CONFIG, batches.kafkaBatchBytes(),
            ProducerConfig.BUFFER_MEMORY_CONFIG, batches.bufferBytes()));
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    producer.partitionsFor(table); // so that no round waits for them
    return new Writer(producer, table);
  }

  @Override
  public RowReader openReader(String table, Look look, Arrivals arrivals) {
    return new KafkaReader(broker.bootstrap(), client, table, look, arrivals);
  }

  @Override
  public long serverCpuNanos() {
    return broker.cpuNanos();
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(10));
  }

  private record Writer(KafkaProducer<byte[], byte[]> producer, String topic) implements RowWriter {

    @Override
    public void add(SourceRow row, Acknowledged acknowledged) {
      long sequence = row.sequence();
      producer.send(
          new ProducerRecord<>(topic, KafkaRow.key(row), KafkaRow.value(row)),
          (metadata, failure) -> acknowledged.completed(sequence, failure == null));
    }

    @Override
    public void flush() {
      producer.flush();
    }

    @Override
    public void close() {
      producer.close();
    }
  }
}
