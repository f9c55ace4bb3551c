package io.tunnel.cli.backup;

import com.google.gson.Gson;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.FoundSets;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.DirectoryCheck;
import io.tunnel.server.check.Problem;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    description =
        "Makes the data directory of a single server from a backup, verifies every checksum, and then"
            + " looks at it as 'tunnel doctor --quick' does. Positions behind the backup are given"
            + " again to other changes.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel restore --from /backup/tunnel --list",
      "  tunnel restore --from /backup/tunnel --data /var/lib/tunnel",
      "  tunnel restore --from /backup/tunnel --backup 12 --data /var/lib/tunnel"
    })
public final class RestoreCommand extends Job {

  private static final Gson GSON = new Gson();

  @Mixin private BackupSource source;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data directory to make; it does not exist or is empty.")
  private Path data;

  @Option(
      names = "--list",
      description =
          "Only say which backups there are; a backup whose list of files is damaged is marked,"
              + " and the exit code is 1.")
  private boolean isListing;

  @Option(names = "--json", description = "Print the outcome, or the list, as JSON.")
  private boolean isJson;

  /** For picocli. */
  public RestoreCommand() {}

  /** A backup in JSON. */
  private record Entry(
      long backup, long takenMs, int tables, int tunnels, int files, long bytes, String service) {
    static Entry of(BackupSet set) {
      return new Entry(
          set.number(),
          set.takenMs(),
          set.counts().tables(),
          set.counts().tunnels(),
          set.fileCount(),
          set.bytes(),
          set.service());
    }
  }

  /** A backup that cannot be restored, in JSON. */
  private record DamagedEntry(long backup, boolean isDamaged, String list, String why) {
    static DamagedEntry of(FoundSets.DamagedSet set) {
      return new DamagedEntry(set.number(), true, set.list().toString(), set.why());
    }
  }

  /** What {@code --json} prints of a restore. */
  private record Summary(
      Entry restored,
      boolean isSound,
      List<String> problems,
      List<String> revivedKeys,
      List<String> revivedTokens) {}

  @Override
  public Integer call() throws IOException {
    if (isListing == (data != null)) {
      throw CommandFailure.usage("give --data DIR to restore, or --list to see what there is");
    }
    try (BackupDirectory backup = source.open()) {
      if (isListing) {
        FoundSets found = backup.found();
        list(found);
        return found.damaged().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
      }
      return restore(backup);
    }
  }

  /** Lists all backups, also those that cannot be restored, oldest first. */
  private void list(FoundSets found) {
    PrintWriter out = out();
    if (isJson) {
      found.intact().forEach(set -> out.println(GSON.toJson(Entry.of(set))));
      found.damaged().forEach(set -> out.println(GSON.toJson(DamagedEntry.of(set))));
    } else {
      SortedMap<Long, List<String>> rows = new TreeMap<>();
      found.intact().forEach(set -> rows.put(set.number(), cells(set)));
      found
          .damaged()
          .forEach(
              set ->
                  rows.put(
                      set.number(),
                      List.of(Human.count(set.number()), "DAMAGED", "-", "-", "-", "-", "-")));
      TextTable table =
          new TextTable(">BACKUP", "TAKEN", ">TABLES", ">TUNNELS", ">FILES", ">BYTES", "SERVICE");
      rows.values().forEach(cells -> table.row(cells.toArray(String[]::new)));
      table.lines().forEach(out::println);
    }
    out.flush();
    BackupRemarks.damaged(found, err());
  }

  private static List<String> cells(BackupSet set) {
    return List.of(
        Human.count(set.number()),
        Instant.ofEpochMilli(set.takenMs()).toString(),
        Human.count(set.counts().tables()),
        Human.count(set.counts().tunnels()),
        Human.count(set.fileCount()),
        Human.bytes(set.bytes()),
        set.service());
  }

  private int restore(BackupDirectory backup) {
    Screen screen = Screen.standardError(err(), System.getenv());
    try {
      BackupSet set = source.set(backup);
      Restore.Revived revived;
      try (ProgressBar bar =
          new ProgressBar(
              "copying", "bytes", OptionalLong.of(set.bytes()), screen, System::nanoTime)) {
        revived = Restore.run(backup, set, data, new SecureRandom(), bar::add);
      }
      CheckReport report = check(screen);
      print(set, report, revived);
      return report.isSound() ? ExitCode.OK : ExitCode.FAILED;
    } catch (IOException e) {
      throw CommandFailure.failed(Diagnosis.ofFile(e));
    }
  }

  private CheckReport check(Screen screen) throws IOException {
    try (StoredDirectory directory = StoredDirectory.toRead(data);
        ProgressBar bar =
            new ProgressBar(
                "checking",
                "bytes",
                OptionalLong.of(DirectoryCheck.logBytes(directory)),
                screen,
                System::nanoTime)) {
      return new DirectoryCheck(directory, Optional.empty(), bar::add).run();
    }
  }

  private void print(BackupSet set, CheckReport report, Restore.Revived revived) {
    List<String> problems =
        report.problems().stream()
            .filter(problem -> problem.kind().weight() == Problem.Weight.WRONG)
            .map(problem -> problem.kind() + ", " + problem.place() + ": " + problem.text())
            .toList();
    PrintWriter out = out();
    if (isJson) {
      out.println(
          GSON.toJson(
              new Summary(
                  Entry.of(set), report.isSound(), problems, revived.keys(), revived.tokens())));
    } else {
      out.println(
          "restored backup "
              + set.number()
              + " of "
              + Instant.ofEpochMilli(set.takenMs())
              + " to "
              + data
              + ": "
              + Human.bytes(set.bytes())
              + " in "
              + Human.counted(set.fileCount(), "file"));
      problems.forEach(problem -> out.println("WRONG " + problem));
      RevivedText.print(revived, out);
      out.println(
          report.isSound() ? "sound: a server can start on it" : "not sound; see ./tunnel doctor");
    }
    out.flush();
  }
}
