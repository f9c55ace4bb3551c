package io.tunnel.server.check;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.check.CheckReport.ShardReport;
import io.tunnel.server.check.DirectoryFacts.ShardFacts;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.log.LogInspection;
import io.tunnel.server.log.LogInspection.Trouble;
import io.tunnel.server.table.StoredTable;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Checks one shard: every byte of the log, every block of the rows, and each row against the log.
 * While the check reads the log, the check folds the changes into a separate table outside of the
 * data directory, and then compares the two tables.
 *
 * <p>The log cannot rebuild the rows of a partition that has lost changes to retention; the check
 * counts these partitions as skipped and does not compare their rows. The check also skips a table
 * that a crash left in the midst of a fold: the next start of the server folds those changes again.
 */
final class ShardCheck implements LogInspection.Visitor {

  private static final TableStoreConfig SMALL = new TableStoreConfig(32L << 20, 16L << 20, 2);

  private final int shard;
  private final Path directory;
  private final Catalog catalog;
  private final int origin;
  private final LongConsumer progress;
  private final List<Problem> problems = new ArrayList<>();
  private final List<ChangeBatch> group = new ArrayList<>();

  /** Rows as the log makes them; present while they are being made. */
  private Optional<TableStore> folded = Optional.empty();

  private OptionalLong foldedOffset = OptionalLong.empty();
  private boolean isGroupEnd;

  ShardCheck(int shard, Path directory, StoredCatalog catalog, LongConsumer progress) {
    this.shard = shard;
    this.directory = directory;
    this.catalog = catalog.tables();
    this.origin = catalog.origin();
    this.progress = progress;
  }

  /** What was found: facts to hold against other parts, figures, and problems. */
  record Result(Optional<ShardFacts> facts, ShardReport report, List<Problem> problems) {
    Result {
      problems = List.copyOf(problems);
    }
  }

  /**
   * Looks at everything.
   *
   * @param work where rows are made for the comparison; without it rows are not compared
   */
  Result run(Optional<Path> work, boolean isExpected) throws IOException {
    if (!Files.isDirectory(directory.resolve("log"))) {
      if (isExpected) {
        problem(
            Kind.SHARD_MISSING,
            "shard-" + shard,
            "there is no log, though tables have partitions in this shard");
      }
      return new Result(Optional.empty(), new ShardReport(shard, 0, 0, 0, 0, 0), problems);
    }
    Optional<StoredTable> table = openTable();
    try {
      return run(table, table.isPresent() ? work : Optional.empty());
    } finally {
      table.ifPresent(StoredTable::close);
      if (folded.isPresent()) {
        folded.get().close();
      }
    }
  }

  private Optional<StoredTable> openTable() {
    Path rows = directory.resolve("table");
    if (!Files.exists(rows.resolve("CURRENT"))) {
      return Optional.empty();
    }
    StoredTable table = null;
    try {
      table = new StoredTable(rows);
      table.verify();
      foldedOffset = OptionalLong.of(table.foldedOffset());
      if (table.origin() != 0 && table.origin() != origin) {
        problem(
            Kind.OF_ANOTHER_CATALOG, place("table"), "the rows were written under another catalog");
      }
      return Optional.of(table);
    } catch (IOException e) {
      problem(Kind.TABLE_DAMAGED, place("table"), e.getMessage());
      if (table != null) {
        table.close();
      }
      foldedOffset = OptionalLong.empty();
      return Optional.empty();
    }
  }

  private Result run(Optional<StoredTable> table, Optional<Path> work) throws IOException {
    if (work.isPresent()) {
      folded = Optional.of(TableStore.open(work.get(), SMALL, () -> {}));
    }
    LogInspection.Summary log =
        LogInspection.inspect(directory.resolve("log"), new LogIdentity(shard, origin), this);
    log.findings().forEach(this::found);
    log.salvaged().stream()
        .filter(range -> catalog.hasPartition(range.partition()))
        .forEach(range -> problem(Kind.CHANGES_GIVEN_UP, place("log"), text(range)));
    boolean isLogWhole = log.findings().stream().noneMatch(finding -> isWrong(finding.trouble()));
    // An empty table counts as missing where the log cannot fill it.
    boolean isMissing =
        table.isEmpty() || (foldedOffset.orElse(0) == 0 && !log.salvaged().isEmpty());
    if (isMissing && problems.stream().noneMatch(p -> p.kind() == Kind.TABLE_DAMAGED)) {
      tableMissing(log);
    }
    SortedSet<Integer> rowPartitions =
        table.isPresent() ? table.get().partitions() : new TreeSet<>();
    ShardFacts facts =
        new ShardFacts(
            shard,
            log.end(),
            log.wholeFrom(),
            log.committed(),
            log.givenUp(),
            foldedOffset,
            isGroupEnd || !isLogWhole || isStart(log),
            rowPartitions);
    RowDifferences differences = new RowDifferences(catalog::tableOfPartition);
    SortedSet<Integer> incomplete = new TreeSet<>(log.givenUp().keySet());
    log.salvaged().forEach(range -> incomplete.add(range.partition()));
    int skipped = (int) incomplete.stream().filter(catalog::hasPartition).count();
    if (folded.isPresent()
        && isLogWhole
        && isComparable(log)
        && !table.orElseThrow().isFoldUnderWay()) {
      compare(table.orElseThrow(), work.orElseThrow(), incomplete, differences);
    }
    problems.addAll(differences.problems(shard));
    ShardReport report =
        new ShardReport(
            shard,
            log.wholeFrom(),
            log.size().bytes(),
            log.size().groups(),
            differences.rows(),
            skipped);
    return new Result(Optional.of(facts), report, problems);
  }

  private static String text(LostHistory range) {
    return "changes "
        + range.first()
        + " to "
        + range.last()
        + " of partition "
        + range.partition()
        + " were damaged, and given up";
  }

  private void tableMissing(LogInspection.Summary log) {
    boolean isEmpty = log.size().groups() == 0;
    if (log.wholeFrom() > 0 || !log.salvaged().isEmpty()) {
      problem(Kind.TABLE_LOST, place("table"), "there are no rows");
    } else if (!isEmpty) {
      problem(Kind.TABLE_MISSING, place("table"), "there are no rows");
    }
  }

  private boolean isComparable(LogInspection.Summary log) {
    long offset = foldedOffset.orElse(0);
    return offset <= log.end() && (isGroupEnd || isStart(log));
  }

  /** Whether nothing is folded that a group of the log's present files holds. */
  private boolean isStart(LogInspection.Summary log) {
    long offset = foldedOffset.orElse(0);
    return offset == 0 || offset == log.wholeFrom();
  }

  private void compare(
      StoredTable table, Path work, SortedSet<Integer> incomplete, RowDifferences differences)
      throws IOException {
    folded.orElseThrow().close();
    folded = Optional.empty();
    try (StoredTable made = new StoredTable(work)) {
      table.compare(
          made,
          partition -> catalog.hasPartition(partition) && !incomplete.contains(partition),
          differences);
    }
  }

  private void problem(Kind kind, String place, String text) {
    problems.add(new Problem(kind, place, text));
  }

  private String place(String name) {
    return "shard-" + shard + "/" + name;
  }

  private void found(LogInspection.Finding finding) {
    problem(kind(finding.trouble()), place("log/" + finding.file()), finding.text());
  }

  private static boolean isWrong(Trouble trouble) {
    return switch (trouble) {
      case TRIMMED_DAMAGED, GAP, HEADER_DAMAGED, OTHER_ORIGIN, CUT, DAMAGED, CHANGES_MISSING ->
          true;
      case TORN, INDEX_MISSING, INDEX_UNUSABLE, INDEX_WRONG -> false;
    };
  }

  private static Kind kind(Trouble trouble) {
    return switch (trouble) {
      case TRIMMED_DAMAGED -> Kind.TRIMMED_DAMAGED;
      case GAP -> Kind.LOG_GAP;
      case HEADER_DAMAGED -> Kind.LOG_FOREIGN;
      case OTHER_ORIGIN -> Kind.OF_ANOTHER_CATALOG;
      case CUT -> Kind.LOG_CUT;
      case DAMAGED -> Kind.LOG_DAMAGED;
      case TORN -> Kind.LOG_TORN;
      case CHANGES_MISSING -> Kind.CHANGES_MISSING;
      case INDEX_MISSING -> Kind.INDEX_MISSING;
      case INDEX_UNUSABLE -> Kind.INDEX_UNUSABLE;
      case INDEX_WRONG -> Kind.INDEX_WRONG;
    };
  }

  @Override
  public boolean isLive(int partition) {
    return catalog.hasPartition(partition);
  }

  @Override
  public void batch(ChangeBatch batch) {
    if (folded.isPresent() && catalog.hasPartition(batch.partition())) {
      group.add(batch);
    }
  }

  @Override
  public void groupEnd(long end) throws IOException {
    long offset = foldedOffset.orElse(0);
    isGroupEnd |= end == offset;
    if (folded.isPresent() && end <= offset) {
      folded.get().fold(group, end);
    }
    group.clear();
  }

  @Override
  public void read(long bytes) {
    progress.accept(bytes);
  }
}
