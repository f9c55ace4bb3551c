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
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.StoredTable;
import io.tunnel.server.table.TableFiles;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
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
 * While the check reads the log, the check folds all changes into a separate table outside of the
 * data directory. Where the stored rows lack the newest changes, as after a kill or in a restored
 * backup, the check folds these changes into a copy of the rows, as the next start of the server
 * does. Then the check compares the two tables.
 *
 * <p>The log cannot rebuild the rows of a partition that has lost changes to retention or to a
 * salvage; the check counts these partitions as skipped and does not compare their rows.
 *
 * <p>One class, because log and rows are read in one pass, and whether rows can be compared depends
 * on what the pass has found.
 */
final class ShardCheck implements LogInspection.Visitor {

  private static final TableStoreConfig WORK = new TableStoreConfig(64L << 20, 16L << 20, 2);

  private static final String MADE = "made";
  private static final String COMPLETED = "completed";
  private static final String NOT_ASKED = "not asked for";

  private final int shard;
  private final Path directory;
  private final Catalog catalog;
  private final int origin;
  private final LongConsumer progress;
  private final List<Problem> problems = new ArrayList<>();
  private final List<ChangeBatch> group = new ArrayList<>();

  /** Where the tables of the comparison are; absent when nothing is compared. */
  private Optional<Path> work = Optional.empty();

  /** Rows as the log makes them. */
  private Optional<TableStore> made = Optional.empty();

  /** The stored rows with the changes that they lacked; absent while they lack none. */
  private Optional<TableStore> completed = Optional.empty();

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
   * @param where a directory for the tables of the comparison; without it no rows are compared
   */
  Result run(Optional<Path> where, boolean isExpected) throws IOException {
    if (!Files.isDirectory(directory.resolve("log"))) {
      if (isExpected) {
        problem(
            Kind.SHARD_MISSING,
            "shard-" + shard,
            "there is no log, though tables have partitions in this shard");
      }
      return new Result(Optional.empty(), new ShardReport(shard, 0, 0, 0, 0, 0, ""), problems);
    }
    Optional<StoredTable> table = openTable();
    try {
      work = table.isPresent() ? where : Optional.empty();
      return compared(table, where.isPresent());
    } finally {
      table.ifPresent(StoredTable::close);
      closeTables();
    }
  }

  private void closeTables() throws IOException {
    Optional<TableStore> fromLog = made;
    Optional<TableStore> copy = completed;
    made = Optional.empty();
    completed = Optional.empty();
    try {
      if (fromLog.isPresent()) {
        fromLog.get().close();
      }
    } finally {
      if (copy.isPresent()) {
        copy.get().close();
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

  private Result compared(Optional<StoredTable> table, boolean isAsked) throws IOException {
    if (work.isPresent()) {
      Path rows = Files.createDirectories(work.get().resolve(MADE));
      made = Optional.of(TableStore.openToFill(rows, WORK));
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
    String notCompared = isAsked ? whyNotCompared(table, log, isLogWhole) : NOT_ASKED;
    if (notCompared.isEmpty() && table.isPresent()) {
      compare(table.get(), incomplete, differences);
    }
    problems.addAll(differences.problems(shard));
    ShardReport report =
        new ShardReport(
            shard,
            log.wholeFrom(),
            log.size().bytes(),
            log.size().groups(),
            differences.rows(),
            skipped,
            notCompared);
    return new Result(Optional.of(facts), report, problems);
  }

  private static String text(LostHistory range) {
    return "changes "
        + range.first()
        + " to "
        + range.last()
        + " of partition "
        + range.partition()
        + " were damaged, and trimmed";
  }

  private void tableMissing(LogInspection.Summary log) {
    boolean isEmpty = log.size().groups() == 0;
    if (log.wholeFrom() > 0 || !log.salvaged().isEmpty()) {
      problem(Kind.TABLE_LOST, place("table"), "there are no rows");
    } else if (!isEmpty) {
      problem(Kind.TABLE_MISSING, place("table"), "there are no rows");
    }
  }

  /** Why no row can be compared; empty when the check compares rows. */
  private String whyNotCompared(
      Optional<StoredTable> table, LogInspection.Summary log, boolean isLogWhole) {
    if (!isLogWhole) {
      return "the log is damaged";
    }
    if (table.isEmpty()) {
      return log.size().groups() == 0 ? "" : "there are no rows that can be read";
    }
    long offset = foldedOffset.orElse(0);
    if (offset > log.end() || !(isGroupEnd || isStart(log))) {
      return "the rows are of another log, or ahead of the log";
    }
    return table.get().isFoldUnderWay() && completed.isEmpty()
        ? "the rows have changes after offset " + offset + ", and the log has none"
        : "";
  }

  /** Whether nothing is folded that a group of the log's present files holds. */
  private boolean isStart(LogInspection.Summary log) {
    long offset = foldedOffset.orElse(0);
    return offset == 0 || offset == log.wholeFrom();
  }

  private void compare(StoredTable table, SortedSet<Integer> incomplete, RowDifferences differences)
      throws IOException {
    boolean isCompleted = completed.isPresent();
    closeTables();
    Path tables = work.orElseThrow();
    try (StoredTable fromLog = new StoredTable(tables.resolve(MADE));
        Closeable opened = isCompleted ? new StoredTable(tables.resolve(COMPLETED)) : () -> {}) {
      StoredTable stored = opened instanceof StoredTable copy ? copy : table;
      stored.compare(
          fromLog,
          partition -> catalog.hasPartition(partition) && !incomplete.contains(partition),
          differences);
    }
  }

  /** A copy of the stored rows, which takes the changes that they lack. */
  private TableStore completed() throws IOException {
    if (completed.isEmpty()) {
      Path rows = work.orElseThrow().resolve(COMPLETED);
      TableFiles.link(directory.resolve("table"), rows);
      completed = Optional.of(TableStore.openUncompacted(rows, WORK, () -> {}, Expiries.NONE));
    }
    return completed.get();
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
    if (made.isPresent() && catalog.hasPartition(batch.partition())) {
      group.add(batch);
    }
  }

  @Override
  public void groupEnd(long end) throws IOException {
    long offset = foldedOffset.orElse(0);
    isGroupEnd |= end == offset;
    if (made.isPresent()) {
      made.get().fold(group, end);
      if (end > offset) {
        completed().fold(group, end);
      }
    }
    group.clear();
  }

  @Override
  public void read(long bytes) {
    progress.accept(bytes);
  }
}
