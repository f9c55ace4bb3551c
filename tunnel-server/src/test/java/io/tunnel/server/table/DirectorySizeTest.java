package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.DirectoryCheck;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.engine.LocalEngine;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How many bytes writes of any shape take beyond the rows of a running server: base data of
 * tunnels, a backup, the rows that a check makes, and a server that is started on the backup;
 * {@code docs/operate/configuration.md} says the numbers.
 */
final class DirectorySizeTest {

  private static final long SECONDS_MAX = 60;

  /** What a directory has without any row: RocksDB's own files, and those of the catalog. */
  private static final long EMPTY_BYTES_MAX = 2L << 20;

  private static final int PAGE_BYTES = 64 << 10;

  @TempDir private Path directory;

  /** Bytes and rows of all writes. */
  private long written;

  private long rows;

  private static LocalEngine engine(Path data, ServerMeters meters) throws IOException {
    return new LocalEngine(data, ServerConfig.defaults(1), Disks.ofSystem(), meters);
  }

  private long bytesMax() {
    return StoredSizeTest.MULTIPLE_MAX * written + StoredSizeTest.ROW_BYTES * (rows + 1);
  }

  private void write(LocalEngine engine, int partition, List<RowChange> changes) {
    ChangeBatch batch = TestRows.batch(partition, changes);
    boolean isConditional = changes.stream().anyMatch(RowUpdateChange.class::isInstance);
    CompletableFuture<WriteResult> told = new CompletableFuture<>();
    PendingWrite.Outcome outcome =
        new PendingWrite.Outcome() {
          @Override
          public void written(WriteResult result) {
            told.complete(result);
          }

          @Override
          public void refused(RefusedException reason) {
            told.completeExceptionally(reason);
          }
        };
    engine
        .ports()
        .partitions()
        .hosts()
        .of(partition)
        .write(new PendingWrite(batch, isConditional, ColumnSizes.of(batch), true, outcome));
    WriteResult result = told.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
    assertThat(result.appliedRows()).isEqualTo(batch.rowCount());
    written += batch.byteCount();
    rows += batch.rowCount();
  }

  /** One page of base data, as a channel asks for it. */
  private static final class Page implements BaseRows.Sink {
    private final CompletableFuture<Page> told = new CompletableFuture<>();
    private Optional<ChangeBatch> batch = Optional.empty();
    private Bytes lastKey = Bytes.EMPTY;
    private boolean isEnd;

    @Override
    public void rows(byte[] bytes, long lastPosition, Bytes key, boolean isLast) {
      batch = Optional.of(ChangeBatch.parse(bytes, 0, bytes.length));
      lastKey = key;
      isEnd = isLast;
      told.complete(this);
    }

    @Override
    public void more() {
      told.completeExceptionally(new AssertionError("rows were asked for"));
    }

    @Override
    public void end() {
      isEnd = true;
      told.complete(this);
    }

    @Override
    public void failed(RuntimeException reason) {
      told.completeExceptionally(reason);
    }
  }

  /** Reads all base data of the partition, everything being folded; returns the rows. */
  private long readBase(LocalEngine engine, int partition) {
    CompletableFuture<Void> folded = new CompletableFuture<>();
    engine
        .ports()
        .partitions()
        .hosts()
        .of(partition)
        .execute(partition, () -> folded.complete(null));
    folded.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
    long bytes = 0;
    long read = 0;
    Bytes after = Bytes.EMPTY;
    boolean isEnd = false;
    while (!isEnd) {
      Page asked = new Page();
      engine.ports().partitions().bases().read("none", partition, after, read, PAGE_BYTES, asked);
      Page page = asked.told.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
      if (page.batch.isPresent()) {
        ChangeBatch batch = page.batch.get();
        assertThat(batch.rowCount() == 1 || batch.byteCount() <= PAGE_BYTES)
            .as("%s for a page of %d bytes", batch, PAGE_BYTES)
            .isTrue();
        bytes += batch.byteCount();
        read += batch.rowCount();
      }
      after = page.lastKey;
      isEnd = page.isEnd;
    }
    assertThat(bytes).as("bytes of base data").isLessThanOrEqualTo(bytesMax());
    return read;
  }

  private static long size(Path of) throws IOException {
    AtomicLong bytes = new AtomicLong();
    Files.walkFileTree(
        of,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes.addAndGet(attributes.size());
            return FileVisitResult.CONTINUE;
          }

          /** RocksDB deletes files meanwhile. */
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
    return bytes.get();
  }

  /** Checks a directory, and holds the rows that the check makes against what was written. */
  private void check(Path data) throws IOException {
    Path work = Files.createDirectory(directory.resolve("work-of-" + data.getFileName()));
    AtomicLong largest = new AtomicLong();
    CheckReport report;
    try (StoredDirectory stored = StoredDirectory.toRead(data)) {
      report =
          new DirectoryCheck(
                  stored,
                  Optional.of(work),
                  unused -> {
                    try {
                      largest.accumulateAndGet(size(work), Math::max);
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  })
              .run();
    }
    assertThat(report.problems()).isEmpty();
    assertThat(largest.get())
        .as("bytes of the rows that the check makes")
        .isBetween(1L, bytesMax() + EMPTY_BYTES_MAX);
  }

  private void requireStatedSizes(long seed, int writes, int rowsMax) throws IOException {
    Path data = directory.resolve("data");
    Path restored = directory.resolve("restored");
    RandomShapes shapes = new RandomShapes(new Random(seed));
    TableModel model = new TableModel();
    int partition;
    try (ServerMeters meters = new ServerMeters(() -> 0L);
        LocalEngine engine = engine(data, meters)) {
      partition =
          engine
              .ports()
              .catalog()
              .createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0)
              .partitions()
              .get(0)
              .id();
      for (int i = 0; i < writes; i++) {
        List<RowChange> changes = shapes.rows(rowsMax);
        write(engine, partition, changes);
        changes.forEach(change -> model.apply(partition, change));
      }
      assertThat(readBase(engine, partition)).isEqualTo(model.rows(partition).size());
      backUp(data, restored);
    }
    assertThat(size(data))
        .as("bytes of the directory")
        .isLessThan(2 * bytesMax() + EMPTY_BYTES_MAX);
    check(data);
    check(restored);
    try (ServerMeters meters = new ServerMeters(() -> 0L);
        LocalEngine engine = engine(restored, meters)) {
      assertThat(readBase(engine, partition)).isEqualTo(model.rows(partition).size());
    }
    assertThat(size(restored)).isLessThan(2 * bytesMax() + EMPTY_BYTES_MAX);
  }

  /** Of a directory that is written to, whose log has what its rows lack. */
  private void backUp(Path data, Path restored) throws IOException {
    try (BackupDirectory backup = BackupDirectory.create(directory.resolve("backup"))) {
      Backup.Options options = new Backup.Options(false, Optional.empty());
      Backup.Outcome taken = Backup.take(data, backup, options, 1, count -> {});
      assertThat(taken.bytesCopied())
          .as("bytes of the backup")
          .isBetween(written, bytesMax() + written + EMPTY_BYTES_MAX);
      var unused = Restore.run(backup, taken.set(), restored, new Random(1), count -> {});
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void base_data_backups_and_checks_take_no_more_than_is_stated(long seed) throws IOException {
    requireStatedSizes(seed, 6, 60);
  }

  @Tag("proof-service")
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26})
  void base_data_backups_and_checks_of_large_writes_take_no_more_than_is_stated(long seed)
      throws IOException {
    requireStatedSizes(seed, 20, 1_000);
  }
}
