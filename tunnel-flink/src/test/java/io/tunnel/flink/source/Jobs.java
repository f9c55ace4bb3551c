package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.flink.ChangeRecord;
import io.tunnel.model.RowChange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;

/** Jobs that read tables, their results, and the written rows. */
@SuppressWarnings("try") // What collects may be interrupted when it closes.
final class Jobs {

  /** Keys that {@link #write} uses, spread evenly. */
  static final int KEYS = 20;

  private Jobs() {}

  /** Where a job checkpoints often, and fails for good at its first failure. */
  static StreamExecutionEnvironment env(Configuration configuration, int parallelism) {
    // A failure is to be seen, not repeated.
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(parallelism);
    env.enableCheckpointing(100);
    return env;
  }

  static DataStreamSource<ChangeRecord> stream(
      StreamExecutionEnvironment env, TunnelSource<ChangeRecord> source) {
    return env.fromSource(source, WatermarkStrategy.noWatermarks(), "table");
  }

  /** All of a bounded source. */
  static List<ChangeRecord> readAll(TunnelSourceBuilder<ChangeRecord> source) throws Exception {
    List<ChangeRecord> read = new ArrayList<>();
    try (CloseableIterator<ChangeRecord> records =
        stream(env(new Configuration(), 2), source.build()).executeAndCollect()) {
      records.forEachRemaining(read::add);
    }
    return read;
  }

  static List<String> values(List<ChangeRecord> records) {
    return records.stream().map(Jobs::value).sorted().toList();
  }

  static String value(ChangeRecord record) {
    return record.columns().get(0).getColumn().getValue().asString();
  }

  /** Writes the values from {@code from} on and before {@code to}, to all partitions and keys. */
  static void write(Served served, String table, int partitions, int from, int to) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = from; i < to; i++) {
      rows.add(Served.put(i % partitions, "k" + i % KEYS, "v" + i));
    }
    served.write(table, rows);
  }

  /** What {@link #values} says of what {@link #write} has written. */
  static List<String> expected(int from, int to) {
    List<String> values = new ArrayList<>();
    for (int i = from; i < to; i++) {
      values.add("v" + i);
    }
    Collections.sort(values);
    return values;
  }

  /** No position of any partition is left out or comes twice. */
  static void requireOrderInPartitions(List<ChangeRecord> read) {
    Map<Integer, Long> positions = new HashMap<>();
    for (ChangeRecord record : read) {
      assertThat(record.position())
          .as("behind %s", positions)
          .isEqualTo(positions.getOrDefault(record.partition(), 0L) + 1);
      positions.put(record.partition(), record.position());
    }
  }
}
