package io.tunnel.bench.snapshot;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import io.tunnel.server.replica.snapshot.SnapshotLoad;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The program: writes a snapshot of a table to memory, verifies it, and loads it into an empty
 * table, and says what each of the three cost a row. The log of blocks costs nothing here.
 */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    description = "Measures what a snapshot of a partition costs.")
public final class SnapshotMain implements Callable<Integer> {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING));
  private static final int BATCH_ROWS = 2_000;
  private static final int KEY_LETTERS = 52;
  private static final int VALUE_LETTERS = 120;
  private static final TableStoreConfig CONFIG = new TableStoreConfig(64 << 20, 64 << 20, 2);
  private static final double NANOS_PER_US = 1e3;

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      description = "Rows of about 220 bytes (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "How often it is measured (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--dir", description = "Where a temporary directory is made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  private SnapshotMain() {}

  /** Measures. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SnapshotMain()).execute(args));
  }

  /** A log of blocks in memory. */
  private static final class Blocks implements SnapshotBlocks {
    private final List<Bytes> log = new ArrayList<>();

    @Override
    public void append(int partition, Bytes block, Appended appended) {
      log.add(block);
      appended.done(OptionalLong.of(log.size() - 1L));
    }

    @Override
    public Reading reading(int partition) {
      return offset ->
          offset < log.size()
              ? Optional.of(new Found(offset, log.get((int) offset)))
              : Optional.empty();
    }

    @Override
    public CompletableFuture<Void> deleteBefore(int partition, long offset) {
      throw new UnsupportedOperationException("a measurement keeps all blocks");
    }

    @Override
    public void close() {}
  }

  /** A part of the measurement. */
  @FunctionalInterface
  private interface Part {
    void run() throws IOException;
  }

  @Override
  public Integer call() throws Exception {
    DataDirectory temporary = DataDirectory.temporary("snapshot", dir);
    Path directory = Files.createDirectory(temporary.data());
    try (TableStore from = TableStore.open(directory.resolve("from"), CONFIG, () -> {})) {
      fill(from);
      System.out.println("| | thread us/row | process us/row |\n| --- | --- | --- |");
      for (int round = 0; round < rounds; round++) {
        Blocks blocks = new Blocks();
        List<SnapshotContent> content = new ArrayList<>();
        System.out.println(cost("out", () -> content.add(write(from, blocks))));
        SnapshotReader verify = new SnapshotReader(blocks, 1, 1, content.get(0));
        System.out.println(cost("verify", () -> verify(verify)));
        SnapshotReader reader = new SnapshotReader(blocks, 1, 1, content.get(0));
        Path target = directory.resolve("to-" + round);
        System.out.println(cost("in", () -> load(reader, target)));
        System.out.println("| " + content.get(0) + " | | |");
      }
      return 0;
    } finally {
      temporary.delete();
    }
  }

  private String cost(String name, Part part) throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long thread = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long process = system.getProcessCpuTime();
    part.run();
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %.2f |",
        name,
        (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - thread)
            / NANOS_PER_US
            / rows,
        (system.getProcessCpuTime() - process) / NANOS_PER_US / rows);
  }

  private void fill(TableStore table) throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    for (int row = 0; row < rows; row += BATCH_ROWS) {
      BatchBuilder builder = new BatchBuilder(SCHEMA, BATCH_ROWS * 256);
      for (int i = 0; i < BATCH_ROWS; i++) {
        builder.add(row(random));
      }
      byte[] array = builder.build(1);
      table.fold(List.of(ChangeBatch.parse(array, 0, array.length)), row + 1L);
    }
  }

  private static RowPutChange row(SplittableRandom random) {
    PrimaryKeyValue key = PrimaryKeyValue.fromString(letters(random, KEY_LETTERS));
    return new RowPutChange(
        new PrimaryKey(List.of(new PrimaryKeyColumn("k", key))),
        List.of(
            new Column("amount", ColumnValue.fromLong(random.nextLong())),
            new Column("price", ColumnValue.fromDouble(random.nextDouble())),
            new Column("open", ColumnValue.fromBoolean(random.nextBoolean())),
            new Column("text", ColumnValue.fromString(letters(random, VALUE_LETTERS)))));
  }

  private static String letters(SplittableRandom random, int count) {
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static SnapshotContent write(TableStore from, Blocks blocks) {
    SnapshotWriter.Source source = new SnapshotWriter.Source(1, 1, from.scanEntries(1));
    try (SnapshotWriter writer =
        new SnapshotWriter(source, blocks, Runnable::run, Long.MAX_VALUE)) {
      while (writer.step(0, Long.MAX_VALUE) == SnapshotWriter.State.WRITING) {
        // The next slice.
      }
      return writer.content();
    }
  }

  private static void verify(SnapshotReader reader) throws IOException {
    while (!reader.step()) {
      // The next block.
    }
  }

  private static void load(SnapshotReader reader, Path directory) throws IOException {
    try (TableStore to = TableStore.open(directory, CONFIG, () -> {});
        SnapshotLoad load = new SnapshotLoad(reader, to.load(1), Bytes.copyOf(new byte[] {1}))) {
      while (!load.step()) {
        // The next block.
      }
    }
  }
}
