package io.tunnel.server.check;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.log.LogMend;
import io.tunnel.server.table.StoredTable;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Trims the damaged changes in the logs of a directory, so that a server can serve the intact ones.
 * Salvage copies each file aside before replacing the file.
 *
 * <p>Folded rows keep the lost changes. Salvage rebuilds missing rows from the remaining changes,
 * because no start of a server may do so without consent.
 */
public final class Salvage {

  /** Problems that rule out a salvage: only the catalog of the log can name the lost changes. */
  private static final Set<Kind> HOPELESS =
      EnumSet.of(
          Kind.CATALOG_MISSING,
          Kind.CATALOG_DAMAGED,
          Kind.CATALOG_TOO_OLD,
          Kind.OF_ANOTHER_CATALOG,
          Kind.CATALOG_INCONSISTENT);

  private final StoredDirectory directory;
  private final StoredCatalog catalog;
  private final List<String> deeds = new ArrayList<>();

  private Salvage(StoredDirectory directory, StoredCatalog catalog) {
    this.directory = directory;
    this.catalog = catalog;
  }

  /**
   * Trims what a check has found to be damaged, or only says what that is.
   *
   * @param aside takes what is replaced; nothing is done without one
   * @param progress receives bytes of the log that were read to make rows, more with each call
   * @return what was done or would be done, and what cannot be, for people
   */
  public static List<String> run(
      StoredDirectory directory, CheckReport report, Optional<Path> aside, LongConsumer progress)
      throws IOException {
    if (report.problems().stream().anyMatch(problem -> HOPELESS.contains(problem.kind()))) {
      return List.of(
          "nothing is deleted: without the catalog, the tables of the changes are unknown");
    }
    StoredCatalog catalog = StoredCatalog.read(directory.path().resolve("catalog"));
    Salvage salvage = new Salvage(directory, catalog);
    for (int shard = 0; shard < directory.shards(); shard++) {
      if (Files.isDirectory(directory.shard(shard).resolve("log"))) {
        salvage.run(shard, aside, progress);
      }
    }
    return salvage.deeds;
  }

  private void run(int shard, Optional<Path> aside, LongConsumer progress) throws IOException {
    String name = "shard-" + shard;
    LogMend mend;
    Optional<Long> folded;
    try {
      folded = foldedOffset(shard);
      mend =
          LogMend.plan(
              directory.shard(shard).resolve("log"),
              new LogIdentity(shard, catalog.origin()),
              catalog.tables()::hasPartition,
              folded.orElse(0L));
    } catch (IOException e) {
      deeds.add(name + ": nothing is deleted: " + e.getMessage());
      return;
    }
    boolean mustFold = mend.hasLost() && folded.isEmpty();
    String verb = aside.isPresent() ? "deleted " : "would delete ";
    for (LostHistory range : mend.lost()) {
      deeds.add(name + ": " + verb + text(range));
    }
    if (mend.isNeeded() && mend.lost().isEmpty()) {
      deeds.add(name + ": " + verb + "damaged bytes in which no change is known to be");
    }
    if (mustFold) {
      deeds.add(name + ": the rows are made of the changes that are left");
    }
    if (aside.isPresent()) {
      execute(shard, mend, mustFold, new Repair(directory, aside.get(), progress));
    }
  }

  private void execute(int shard, LogMend mend, boolean mustFold, Repair repair)
      throws IOException {
    if (mend.isNeeded()) {
      mend.execute(repair::aside);
    }
    if (mustFold) {
      repair.fold(shard, catalog);
    }
    deeds.addAll(repair.deeds());
  }

  /** Up to where the rows are folded; nothing where there are none. */
  private Optional<Long> foldedOffset(int shard) throws IOException {
    Path rows = directory.shard(shard).resolve("table");
    if (!Files.exists(rows.resolve("CURRENT"))) {
      return Optional.empty();
    }
    try (StoredTable table = new StoredTable(rows)) {
      return table.foldedOffset() == 0 ? Optional.empty() : Optional.of(table.foldedOffset());
    }
  }

  private String text(LostHistory range) {
    Catalog tables = catalog.tables();
    return Human.counted(range.last() - range.first() + 1, "change")
        + ", positions "
        + range.first()
        + " to "
        + range.last()
        + " of partition "
        + range.partition()
        + " of table "
        + tables.tableOfPartition(range.partition()).meta().name();
  }
}
