package io.tunnel.server.kafka.store;

import io.tunnel.kafka.broker.KafkaBroker;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A real broker with a topic for each test. */
final class StoreBroker implements Closeable {

  private final KafkaBroker broker;
  private int topics;

  StoreBroker(Path directory) throws IOException {
    broker =
        KafkaBroker.start(
            directory, Map.of("log.cleaner.backoff.ms", "100", "message.max.bytes", "10485760"));
  }

  KafkaBroker broker() {
    return broker;
  }

  Map<String, String> settings() {
    return Map.of(
        "bootstrap.servers",
        broker.bootstrap(),
        "request.timeout.ms",
        "1000",
        "delivery.timeout.ms",
        "2000",
        // So that reads end inside of transactions.
        "max.poll.records",
        "7");
  }

  /** A new topic with one partition and those settings beside compaction. */
  StoreTopic topic(Map<String, String> config) throws Exception {
    Map<String, String> all = new HashMap<>(config);
    all.put("cleanup.policy", "compact");
    String name = "store-" + ++topics;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin
          .createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty()).configs(all)))
          .all()
          .get(60, TimeUnit.SECONDS);
    }
    return new StoreTopic(settings(), name, 0);
  }

  @Override
  public void close() {
    broker.close();
  }
}
