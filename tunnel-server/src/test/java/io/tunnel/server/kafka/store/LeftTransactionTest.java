package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.store.StoreUnavailableException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store whose partition has a transaction without an end. A real broker has one when it is killed
 * at a bad moment; here its records are sent by hand, to a broker that does not ask whether there
 * is a transaction at all.
 */
@Tag("proof-kafka")
final class LeftTransactionTest {

  /** The newest that names topics by name. */
  private static final short PRODUCE_VERSION = 11;

  /** A broker that has just started takes its time to make the topic of transactions. */
  private static final KafkaCatalogStore.Waits WAITS = new KafkaCatalogStore.Waits(60_000, 60_000);

  @TempDir static Path directory;
  private static StoreBroker broker;
  private static Admin admin;

  private StoreTopic topic;

  @BeforeAll
  static void start() throws Exception {
    broker = new StoreBroker(directory.resolve("broker"));
    admin = Admin.create(Map.of("bootstrap.servers", broker.broker().bootstrap()));
    ConfigEntry unasked = new ConfigEntry("transaction.partition.verification.enable", "false");
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.BROKER, ""),
                List.of(new AlterConfigOp(unasked, AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  private KafkaCatalogStore open(String transactionalId) throws IOException {
    return KafkaCatalogStore.open(
        topic, transactionalId, WAITS, System::nanoTime, new FakeStoreOwner().asOwner());
  }

  /** A writer without a store, which does not ask again when a busy broker takes its time. */
  private Producer<String, String> producer(String transactionalId) {
    Map<String, Object> settings = new HashMap<>(topic.producer(transactionalId));
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int) WAITS.openMsMax());
    return new KafkaProducer<>(settings);
  }

  /** Records of the producer that Kafka has for this id, which it will never be asked to end. */
  private void leave(String transactionalId, String name, String text) throws Exception {
    TransactionDescription producer = ended(transactionalId);
    MemoryRecords records =
        MemoryRecords.withTransactionalRecords(
            Compression.NONE,
            producer.producerId(),
            (short) producer.producerEpoch(),
            0,
            new SimpleRecord(
                name.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8)));
    ProduceRequestData data =
        new ProduceRequestData()
            .setTransactionalId(transactionalId)
            .setAcks((short) -1)
            .setTimeoutMs(10_000);
    data.topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setName(topic.topic())
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(topic.partition())
                            .setRecords(records))));
    ProduceResponse answer = send(new ProduceRequest(data, PRODUCE_VERSION));
    assertThat(answer.errorCounts()).containsOnlyKeys(Errors.NONE);
  }

  /**
   * The producer when the end of its last transaction is in all logs. Kafka decides an end and
   * answers before it has written it; records that come in between belong to no transaction that a
   * producer could have had, since a broker that asks would refuse them.
   */
  private static TransactionDescription ended(String transactionalId) throws Exception {
    while (true) {
      TransactionDescription producer =
          admin.describeTransactions(List.of(transactionalId)).description(transactionalId).get();
      if (producer.state() == TransactionState.COMPLETE_COMMIT
          || producer.state() == TransactionState.COMPLETE_ABORT) {
        return producer;
      }
      Thread.onSpinWait();
    }
  }

  private static ProduceResponse send(ProduceRequest request) throws IOException {
    URI address = URI.create("kafka://" + broker.broker().bootstrap());
    RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, PRODUCE_VERSION, "by hand", 1);
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      ByteBuffer bytes = request.serializeWithHeader(header);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(bytes.remaining());
      out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      ByteBuffer answer = ByteBuffer.wrap(in.readNBytes(in.readInt()));
      return (ProduceResponse) ProduceResponse.parseResponse(answer, header);
    }
  }

  private void write(String transactionalId, Map<String, Optional<String>> changes)
      throws Exception {
    try (KafkaCatalogStore store = open(transactionalId)) {
      store.write(changes);
    }
  }

  @Test
  void what_kafka_had_committed_is_stored() throws Exception {
    topic = broker.topic(Map.of());
    write("committed", Map.of("a", Optional.of("1")));
    leave("committed", "a", "2");
    try (KafkaCatalogStore store = open("committed")) {
      assertThat(store.all()).isEqualTo(Map.of("a", "2"));
      store.write(Map.of("b", Optional.of("3")));
    }
    try (KafkaCatalogStore store = open("committed")) {
      assertThat(store.all()).isEqualTo(Map.of("a", "2", "b", "3"));
    }
  }

  @Test
  void what_kafka_had_aborted_is_not() throws Exception {
    topic = broker.topic(Map.of());
    write("aborted", Map.of("a", Optional.of("1")));
    try (Producer<String, String> producer = producer("aborted")) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic.topic(), 0, "a", "never"));
      producer.flush();
      producer.abortTransaction();
    }
    leave("aborted", "a", "2");
    try (KafkaCatalogStore store = open("aborted")) {
      assertThat(store.all()).isEqualTo(Map.of("a", "1"));
    }
  }

  @Test
  void a_writer_that_was_killed_before_it_gave_the_end_leaves_that_to_the_next() throws Exception {
    topic = broker.topic(Map.of());
    write("killed", Map.of("a", Optional.of("1")));
    leave("killed", "a", "2");
    try (Producer<String, String> producer = producer("killed")) {
      producer.initTransactions();
    }
    try (KafkaCatalogStore store = open("killed")) {
      assertThat(store.all()).isEqualTo(Map.of("a", "2"));
    }
  }

  @Test
  void one_of_another_producer_is_for_the_operators_of_kafka() throws Exception {
    topic = broker.topic(Map.of());
    write("former", Map.of("a", Optional.of("1")));
    leave("former", "a", "2");
    assertThatThrownBy(() -> open("latter"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("kafka-transactions.sh abort --topic " + topic.topic());
  }

  @Test
  void those_who_follow_are_told_what_was_stored_and_nothing_else() throws Exception {
    topic = broker.topic(Map.of());
    write("followed", Map.of("a", Optional.of("1")));
    leave("followed", "a", "2");
    open("followed").close();
    List<Map<String, Optional<String>>> told = new CopyOnWriteArrayList<>();
    CountDownLatch read = new CountDownLatch(1);
    try (StoreTail tail = new StoreTail(topic, told::add)) {
      tail.catchUp(read::countDown);
      read.await();
    }
    assertThat(told).containsExactly(Map.of("a", Optional.of("1")), Map.of("a", Optional.of("2")));
  }
}
