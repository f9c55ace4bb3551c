package io.tunnel.programs.bench.kafka;

import io.tunnel.programs.bench.peer.Arrivals;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.RowReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * One consumer on its own thread. It assigns itself all partitions and commits nothing, so its
 * times include neither the first balance of a group nor commits; the times of a worker include its
 * session and checkpoints.
 */
final class KafkaReader implements RowReader {

  private static final int POLL_ROWS_MAX = 20_000;
  private static final long STOP_MS_MAX = TimeUnit.SECONDS.toMillis(20);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String topic;
  private final Look look;
  private final Arrivals arrivals;
  private final Thread thread = new Thread(this::run, "kafka-reader");
  private volatile boolean isStopping;
  private volatile String trouble;

  KafkaReader(KafkaService service, String topic, Look look, Arrivals arrivals) {
    this.topic = topic;
    this.look = look;
    this.arrivals = arrivals;
    Map<String, Object> settings = new HashMap<>(service.client());
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, service.bootstrap());
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_ROWS_MAX);
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 64 << 20);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 << 20);
    settings.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, 1 << 20);
    this.consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.start();
  }

  private void run() {
    try (consumer) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!isStopping) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        if (!records.isEmpty()) {
          look(records);
        }
      }
    } catch (WakeupException stopping) {
      // The end was asked for.
    } catch (RuntimeException e) {
      trouble = e.toString();
    }
  }

  private void look(ConsumerRecords<byte[], byte[]> records) {
    switch (look) {
      case COUNT -> arrivals.arrived(records.count(), 0, 0);
      case TOUCH -> touch(records);
      case DECODE -> decode(records);
      case SEQUENCE -> {
        for (ConsumerRecord<byte[], byte[]> record : records) {
          arrivals.saw(KafkaRow.sequence(record.key()));
        }
        arrivals.arrived(records.count(), 0, 0);
      }
    }
  }

  private void touch(ConsumerRecords<byte[], byte[]> records) {
    long amounts = 0;
    long digest = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      digest += Arrays.hashCode(record.key());
      amounts += KafkaRow.amount(record.value());
    }
    arrivals.arrived(records.count(), amounts, digest);
  }

  private void decode(ConsumerRecords<byte[], byte[]> records) {
    long amounts = 0;
    long digest = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      KafkaRow.Decoded row = KafkaRow.decode(record.key(), record.value());
      digest += row.digest();
      amounts += row.amount();
    }
    arrivals.arrived(records.count(), amounts, digest);
  }

  @Override
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  @Override
  public void close() {
    isStopping = true;
    consumer.wakeup();
    try {
      thread.join(STOP_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
