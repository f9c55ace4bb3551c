package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the test kit takes of a test's process. */
class FootprintTest {

  private static List<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("in-memory-tunnel-service"))
        .filter(Thread::isAlive)
        .toList();
  }

  @Test
  void a_service_has_one_thread_and_no_thread_outlives_the_service() {
    try (InMemoryTunnelService service = InMemoryTunnelService.start();
        TableClient tables = TableClient.connect(service.endpoint())) {
      service.createTable(
          CreateTableRequest.builder("t").key("id", PrimaryKeyType.INTEGER).build());
      tables.write("t", List.of(Row.key("id", 1).put()));
      assertThat(tables.getRow("t", PrimaryKey.builder().add("id", 1).build())).isPresent();
      service.crashAndRestart();
      assertThat(ownThreads()).hasSize(1);
    }
    assertThat(ownThreads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.rocksdb.RocksDB",
        "org.apache.kafka.clients.producer.KafkaProducer",
        "picocli.CommandLine"
      })
  void a_program_does_not_get_what_only_a_server_needs(String type) {
    assertThatThrownBy(() -> Class.forName(type)).isInstanceOf(ClassNotFoundException.class);
  }
}
