package io.tunnel.kafka.table;

import io.tunnel.kafka.broker.ChildJvm;
import io.tunnel.kafka.broker.TopicTable;
import io.tunnel.kafka.broker.TopicTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Keeps topics as tables with Kafka Streams, with one thread per core. */
public final class StreamsTables implements TopicTables {

  private static final String LIBRARIES = "table-libraries";

  /** For {@link java.util.ServiceLoader}. */
  public StreamsTables() {}

  @Override
  public TopicTable start(Path directory, String bootstrap, int heapMib) throws IOException {
    Path temporary = Files.createDirectories(directory.resolve("temporary"));
    List<String> command = ChildJvm.command(TableMain.class, LIBRARIES, directory, heapMib);
    // RocksDB unpacks its native library there, and leaves the file behind when the child is
    // killed.
    command.add(1, "-Djava.io.tmpdir=" + temporary);
    command.addAll(
        List.of(
            bootstrap,
            directory.resolve("state").toString(),
            "" + Runtime.getRuntime().availableProcessors()));
    return TableProcess.start(command, directory.resolve("table.log"));
  }
}
