package io.tunnel.server.check;

import io.tunnel.model.Durability;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.check.CheckReport.ShardReport;
import io.tunnel.server.check.DirectoryFacts.CheckpointFacts;
import io.tunnel.server.check.DirectoryFacts.PartitionFacts;
import io.tunnel.server.check.DirectoryFacts.ShardFacts;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.server.log.LogInspection;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/** Checks a complete data directory without changing any file. */
public final class DirectoryCheck {

  private final StoredDirectory directory;
  private final Optional<Path> work;
  private final LongConsumer progress;
  private final List<Problem> problems = new ArrayList<>();

  /**
   * A check of a directory.
   *
   * @param work an existing directory for the rows that the check makes from the log, with space
   *     for as many rows as the data directory has; without this directory the check compares no
   *     rows
   * @param progress takes the total of log bytes that the check has read so far
   */
  public DirectoryCheck(StoredDirectory directory, Optional<Path> work, LongConsumer progress) {
    this.directory = directory;
    this.work = work;
    this.progress = progress;
  }

  /** Bytes that {@link #run} will read of all logs. */
  public static long logBytes(StoredDirectory directory) throws IOException {
    long bytes = 0;
    for (int shard = 0; shard < directory.shards(); shard++) {
      Path log = directory.shard(shard).resolve("log");
      if (Files.isDirectory(log)) {
        bytes += LogInspection.byteCount(log);
      }
    }
    return bytes;
  }

  /** Looks at everything. */
  public CheckReport run() throws IOException {
    Optional<StoredCatalog> read = readCatalog();
    boolean isKnown = read.isPresent();
    StoredCatalog catalog = isKnown ? read.get() : StoredCatalog.of(new TreeMap<>());
    if (isKnown) {
      problems.addAll(CatalogCheck.problems(catalog));
    }
    List<ShardReport> reports = new ArrayList<>();
    List<ShardFacts> shards = new ArrayList<>();
    for (int shard = 0; shard < directory.shards(); shard++) {
      ShardCheck.Result result = check(shard, catalog, isKnown);
      problems.addAll(result.problems());
      reports.add(result.report());
      result.facts().ifPresent(shards::add);
    }
    if (isKnown) {
      problems.addAll(CheckCore.problems(facts(catalog, shards)));
    }
    return new CheckReport(
        catalog.tables().tables().size(),
        catalog.tunnels().tunnels(Optional.empty()).size(),
        reports,
        once(Kind.OF_ANOTHER_CATALOG, problems));
  }

  /** One cause shows in many files: leaves the first problem of this kind, which tells how many. */
  private static List<Problem> once(Kind kind, List<Problem> problems) {
    List<Problem> alike = problems.stream().filter(problem -> problem.kind() == kind).toList();
    if (alike.size() < 2) {
      return problems;
    }
    Problem first = alike.get(0);
    List<Problem> left = new ArrayList<>(problems);
    left.removeAll(alike);
    left.add(
        problems.indexOf(first),
        new Problem(
            kind,
            first.place(),
            first.text() + "; so were " + (alike.size() - 1) + " other files"));
    return left;
  }

  private Optional<StoredCatalog> readCatalog() {
    Path path = directory.path().resolve("catalog");
    if (!Files.exists(path.resolve("CURRENT"))) {
      if (hasChanges()) {
        problems.add(
            new Problem(Kind.CATALOG_MISSING, "catalog", "there are no tables and no tunnels"));
      }
      return Optional.empty();
    }
    try {
      return Optional.of(StoredCatalog.read(path));
    } catch (IOException e) {
      problems.add(new Problem(Kind.CATALOG_DAMAGED, "catalog", e.getMessage()));
      return Optional.empty();
    }
  }

  /** Whether any shard was made: that happens without the catalog's knowledge. */
  private boolean hasChanges() {
    for (int shard = 0; shard < directory.shards(); shard++) {
      if (Files.isDirectory(directory.shard(shard))) {
        return true;
      }
    }
    return false;
  }

  private ShardCheck.Result check(int shard, StoredCatalog catalog, boolean isKnown)
      throws IOException {
    boolean isExpected =
        catalog.tables().partitionIds().stream().anyMatch(id -> id % directory.shards() == shard);
    ShardCheck check = new ShardCheck(shard, directory.shard(shard), catalog, progress);
    if (work.isEmpty() || !isKnown) {
      return check.run(Optional.empty(), isExpected);
    }
    Path rows = Files.createTempDirectory(work.get(), "tunnel-doctor-");
    try {
      return check.run(Optional.of(rows), isExpected);
    } finally {
      delete(rows);
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      Files.deleteIfExists(file);
    }
  }

  private static DirectoryFacts facts(StoredCatalog catalog, List<ShardFacts> shards) {
    List<PartitionFacts> partitions = new ArrayList<>();
    for (TableRecord table : catalog.tables().tables()) {
      boolean isSynced = table.meta().options().durability() == Durability.FSYNC;
      for (PartitionRecord partition : table.partitions()) {
        partitions.add(new PartitionFacts(partition.id(), table.meta().name(), isSynced));
      }
    }
    return new DirectoryFacts(
        catalog.tables().lastPartition(), partitions, checkpoints(catalog), shards);
  }

  private static List<CheckpointFacts> checkpoints(StoredCatalog catalog) {
    List<CheckpointFacts> checkpoints = new ArrayList<>();
    for (TunnelInfo tunnel : catalog.tunnels().tunnels(Optional.empty())) {
      for (TableRecord table : catalog.tables().tables()) {
        if (table.meta().name().equals(tunnel.table())) {
          catalog
              .streamCheckpoints(tunnel)
              .forEach(
                  (partition, position) ->
                      checkpoints.add(
                          new CheckpointFacts(
                              tunnel.table(), tunnel.tunnel(), partition, position)));
        }
      }
    }
    return checkpoints;
  }
}
