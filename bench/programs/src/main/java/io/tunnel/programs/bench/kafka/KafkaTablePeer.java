package io.tunnel.programs.bench.kafka;

import io.tunnel.kafka.broker.TopicTable;
import io.tunnel.programs.bench.peer.Arrivals;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.RowReader;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.TablePeer;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * A Kafka beside which a program keeps each topic as a table; both are its servers. The program
 * follows a topic before the first row is written, and goes on running from one topic to the next.
 */
public final class KafkaTablePeer implements TablePeer {

  /** What it is called in results. */
  public static final String NAME = "kafka table";

  private final KafkaPeer kafka;
  private final TopicTable program;

  /** Writes as {@code kafka} does; its owner closes both. */
  public KafkaTablePeer(KafkaPeer kafka, TopicTable program) {
    this.kafka = kafka;
    this.program = program;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void create(String table, int partitions) throws IOException, InterruptedException {
    kafka.create(table, partitions);
    kafka.openWriter(table).close(); // which waits until the topic can be used
    program.follow(kafka.addGroup(table), kafka.topic(table), partitions);
  }

  @Override
  public void drop(String table) throws IOException, InterruptedException {
    program.forget();
    kafka.dropGroup(table);
    kafka.drop(table);
  }

  @Override
  public RowWriter openWriter(String table) {
    return kafka.openWriter(table);
  }

  @Override
  public RowReader openReader(String table, Look look, Arrivals arrivals) {
    return kafka.openReader(table, look, arrivals);
  }

  @Override
  public long rowsKept() {
    return program.records();
  }

  @Override
  public void awaitKept(String table, long rows, long secondsMax) {
    try {
      program.awaitRecords(rows, secondsMax);
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage());
    }
  }

  @Override
  public void requireKept(String table, long rows) throws IOException {
    long kept = program.countRows();
    if (kept != rows) {
      throw CommandFailure.failed("Kafka's table has " + kept + " of " + rows + " rows");
    }
  }

  @Override
  public OptionalLong serverCpuNanos() {
    OptionalLong broker = kafka.serverCpuNanos();
    return broker.isPresent()
        ? OptionalLong.of(broker.getAsLong() + program.cpuNanos())
        : OptionalLong.empty();
  }

  @Override
  public int processes() {
    return kafka.processes() + 1;
  }
}
