package io.tunnel.server.check;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.check.CheckReport.ShardReport;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.server.check.Problem.Weight;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.log.LogMend;
import io.tunnel.server.log.ReplayVisitor;
import io.tunnel.server.partition.Refold;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Rebuilds indexes and rows from an intact log. A repair moves old files aside and deletes none.
 *
 * <p>Invariant: the log is the truth, and a repair changes only a torn end of the log, which every
 * start cuts off. A crash between any two steps leaves a directory that a server opens: the server
 * scans a segment without an index, and continues to fold rows from their stored offset.
 */
public final class Repair {

  private static final TableStoreConfig ROWS = new TableStoreConfig(64L << 20, 32L << 20, 2);
  private static final int SEGMENT_BYTES_MAX = 256 << 20;

  private static final Set<Kind> OF_INDEXES =
      EnumSet.of(Kind.INDEX_MISSING, Kind.INDEX_UNUSABLE, Kind.INDEX_WRONG);
  private static final Set<Kind> OF_ROWS =
      EnumSet.of(
          Kind.TABLE_MISSING,
          Kind.TABLE_DAMAGED,
          Kind.TABLE_AHEAD,
          Kind.TABLE_OF_ANOTHER_LOG,
          Kind.ROWS_MISSING,
          Kind.ROWS_EXTRA,
          Kind.ROWS_DIFFERENT);

  /**
   * Problems that no repair can solve: the changes, or the knowledge of which changes count, are
   * missing.
   */
  private static final Set<Kind> HOPELESS =
      EnumSet.of(
          Kind.CATALOG_MISSING,
          Kind.CATALOG_DAMAGED,
          Kind.CATALOG_TOO_OLD,
          Kind.OF_ANOTHER_CATALOG,
          Kind.CATALOG_INCONSISTENT);

  private final StoredDirectory directory;
  private final Path aside;
  private final LongConsumer progress;
  private final List<String> deeds = new ArrayList<>();

  Repair(StoredDirectory directory, Path aside, LongConsumer progress) {
    this.directory = directory;
    this.aside = aside;
    this.progress = progress;
  }

  /**
   * Mends what can be mended of what a check has found.
   *
   * @param directory held to be changed
   * @param aside takes what is replaced; in the same file system, made when it is needed
   * @param progress receives bytes of the log that were read, more with each call
   * @return what was done, and what could not be, for people
   */
  public static List<String> run(
      StoredDirectory directory, CheckReport report, Path aside, LongConsumer progress)
      throws IOException {
    Repair repair = new Repair(directory, aside, progress);
    repair.run(report);
    return repair.deeds;
  }

  private void run(CheckReport report) throws IOException {
    for (Problem problem : report.problems()) {
      if (HOPELESS.contains(problem.kind())) {
        deeds.add(
            "nothing was done: without a catalog that fits it is unknown which changes count");
        return;
      }
    }
    StoredCatalog catalog = StoredCatalog.read(directory.path().resolve("catalog"));
    for (ShardReport shard : report.shards()) {
      String place = "shard-" + shard.shard() + "/";
      List<Problem> problems =
          report.problems().stream().filter(problem -> problem.place().startsWith(place)).toList();
      boolean isLogWhole =
          problems.stream()
              .noneMatch(
                  problem ->
                      problem.place().startsWith(place + "log")
                          && problem.kind().weight() == Weight.WRONG
                          && problem.kind() != Kind.INDEX_WRONG);
      mend(shard, problems, catalog, isLogWhole);
    }
  }

  private void mend(
      ShardReport shard, List<Problem> problems, StoredCatalog catalog, boolean isLogWhole)
      throws IOException {
    boolean mustIndex = problems.stream().anyMatch(problem -> OF_INDEXES.contains(problem.kind()));
    boolean mustFold = problems.stream().anyMatch(problem -> OF_ROWS.contains(problem.kind()));
    String name = "shard-" + shard.shard();
    if (!isLogWhole && (mustIndex || mustFold)) {
      deeds.add(name + ": nothing was done, because its log is not complete; restore that first");
      return;
    }
    if (mustIndex) {
      index(shard.shard(), problems);
    }
    boolean isSalvaged =
        problems.stream().anyMatch(problem -> problem.kind() == Kind.CHANGES_GIVEN_UP);
    if (mustFold && (shard.wholeFrom() > 0 || isSalvaged)) {
      deeds.add(
          name
              + ": the rows were left as they are, because the log does not have all changes any"
              + " more");
    } else if (mustFold) {
      fold(shard.shard(), catalog);
    }
  }

  private void index(int shard, List<Problem> problems) throws IOException {
    for (Problem problem : problems) {
      Path file = directory.path().resolve(problem.place());
      if (OF_INDEXES.contains(problem.kind()) && Files.exists(file)) {
        moveAside(file);
      }
    }
    Path log = directory.shard(shard).resolve("log");
    for (String index : LogMend.storeIndexes(log)) {
      deeds.add("made shard-" + shard + "/log/" + index + " again");
    }
  }

  /** What was done, and what could not be, for people. */
  List<String> deeds() {
    return deeds;
  }

  /** Moves a file out of the way, or keeps a copy of one that will be replaced. */
  void aside(Path file, boolean isCopy) throws IOException {
    if (!isCopy) {
      moveAside(file);
      return;
    }
    Path target = aside.resolve(directory.path().relativize(file));
    var unused = PrivateFiles.createDirectories(target.getParent());
    Files.copy(file, target);
    deeds.add("copied " + directory.path().relativize(file) + " to " + target);
  }

  private void moveAside(Path path) throws IOException {
    Path target = aside.resolve(directory.path().relativize(path));
    var unused = PrivateFiles.createDirectories(target.getParent());
    Files.move(path, target);
    deeds.add("moved " + directory.path().relativize(path) + " to " + target);
  }

  void fold(int shard, StoredCatalog catalog) throws IOException {
    Path rows = directory.shard(shard).resolve("table");
    if (Files.exists(rows)) {
      moveAside(rows);
    }
    Path log = directory.shard(shard).resolve("log");
    LogIdentity identity = new LogIdentity(shard, catalog.origin());
    try (LocalLog changes = LocalLog.open(new FileDisk(log), identity, SEGMENT_BYTES_MAX);
        TableStore table =
            TableStore.openUncompacted(
                PrivateFiles.createDirectories(rows),
                ROWS,
                changes::sync,
                partition -> Expiry.of(catalog.tables().meta(partition)))) {
      table.noteOrigin(catalog.origin());
      changes.replay(
          0,
          new Fold(
              new Refold(
                  table,
                  catalog.tables()::hasPartition,
                  partition ->
                      catalog
                          .tables()
                          .meta(partition)
                          .flatMap(of -> AutoNumbers.of(of.primaryKey())))));
      deeds.add(
          "folded "
              + Human.counted(table.foldedRows(), "change")
              + " of the log into the rows of shard-"
              + shard);
    }
  }

  /** As a start does it. */
  private final class Fold implements ReplayVisitor {
    private final Refold refold;
    private long read;

    Fold(Refold refold) {
      this.refold = refold;
    }

    @Override
    public void batch(ChangeBatch batch) {
      refold.batch(batch);
    }

    @Override
    public void answers(ChangeBatch batch) {
      refold.answers(batch);
    }

    @Override
    public void groupEnd(long end) throws IOException {
      refold.groupEnd(end);
      progress.accept(end - read);
      read = end;
    }
  }
}
