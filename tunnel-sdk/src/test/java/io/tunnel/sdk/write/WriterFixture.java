package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** A server of one table in memory, over real sockets. */
abstract class WriterFixture {

  static final TableWriterConfig QUICK =
      TableWriterConfig.DEFAULTS.withBatchBytesMax(2_000).withLinger(Duration.ofMillis(1));
  static final TableWriterConfig PATIENT =
      TableWriterConfig.DEFAULTS.withLinger(Duration.ofHours(1));

  final FakeServer server = new FakeServer();

  @AfterEach
  void close() {
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  static RowChange row(long key, long value) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", key).build(),
        List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  final TableClient client() {
    return TableClient.connect(
        server
            .config()
            .withRetryDeadline(Duration.ofSeconds(60))
            .withWriteRetryDeadline(Duration.ofSeconds(60)));
  }

  static void add(TableWriter writer, Map<Long, RowResult> results, long from, int rows) {
    for (long key = from; key < from + rows; key++) {
      long added = key;
      writer.add(row(key, key), (row, result) -> results.put(added, result));
    }
  }

  static Map<Outcome, List<Long>> byOutcome(Map<Long, RowResult> results) {
    Map<Outcome, List<Long>> keys = new LinkedHashMap<>();
    results.keySet().stream()
        .sorted()
        .forEach(
            key ->
                keys.computeIfAbsent(results.get(key).outcome(), o -> new ArrayList<>()).add(key));
    return keys;
  }
}
