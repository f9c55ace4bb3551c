package io.tunnel.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.cli.backup.BackupCommand;
import io.tunnel.cli.doctor.TestDirectory;
import io.tunnel.model.Level;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a restore to a cluster, and a backup of one, refuse before they ask Kafka anything. */
class ClusterRestoreCommandTest {

  /** No broker listens there, so a command that asks Kafka fails otherwise. */
  private static final String NOWHERE = "127.0.0.1:1";

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private Path path(String name) {
    return directory.resolve(name);
  }

  private int run(Object command, List<String> arguments) {
    err.getBuffer().setLength(0);
    CommandLine line =
        new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(line, Diagnosis.standard(), arguments.toArray(String[]::new));
  }

  private void backUp() throws Exception {
    TestDirectory.fill(path("data"));
    List<String> arguments =
        List.of("--data", path("data").toString(), "--to", path("backup").toString());
    assertThat(run(new BackupCommand(), arguments)).as(err::toString).isZero();
  }

  private int restore(Path work) {
    return run(
        new ClusterRestoreCommand(),
        List.of(
            "--from",
            path("backup").toString(),
            "--work",
            work.toString(),
            "--bootstrap",
            NOWHERE));
  }

  private int backUp(Path work) {
    return run(
        new ClusterBackupCommand(),
        List.of(
            "--to", path("backup").toString(), "--work", work.toString(), "--bootstrap", NOWHERE));
  }

  private Path largest(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(path("backup"))) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(suffix))
          .max(Comparator.comparing(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  private void requireNotRestored(String why) {
    assertThat(restore(path("work"))).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("backup 1 is not restored: ", why);
    assertThat(path("work")).as("what was copied is deleted").doesNotExist();
  }

  @Test
  void a_backup_that_is_cut_or_lacks_a_file_is_not_restored() throws Exception {
    backUp();
    Path segment = largest(".log");
    byte[] whole = Files.readAllBytes(segment);
    Files.write(segment, Arrays.copyOf(whole, whole.length - 1));
    requireNotRestored("shorter by 1 bytes");
    whole[whole.length / 2] ^= 1;
    Files.write(segment, whole);
    requireNotRestored("does not match its checksum");
    Files.delete(segment);
    requireNotRestored("a file of the backup is missing: " + segment);
  }

  @Test
  void a_backup_of_a_newer_level_is_not_restored() throws Exception {
    backUp();
    Path set;
    try (Stream<Path> sets = Files.list(path("backup/sets"))) {
      set = sets.findFirst().orElseThrow();
    }
    String text = Files.readString(set);
    String newer =
        text.replaceFirst("\"level\":\\s*" + Level.NEWEST, "\"level\":" + (Level.NEWEST + 1));
    assertThat(newer).isNotEqualTo(text);
    Files.writeString(set, newer);
    requireNotRestored(Level.below("backup 1", Level.NEWEST + 1, Level.NEWEST));
  }

  @Test
  void a_backup_that_does_not_exist_is_named() throws Exception {
    backUp();
    int exit =
        run(
            new ClusterRestoreCommand(),
            List.of(
                "--from",
                path("backup").toString(),
                "--work",
                path("work").toString(),
                "--backup",
                "7",
                "--bootstrap",
                NOWHERE));
    assertThat(exit).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("has no backup 7; there are 1 to 1");
  }

  @Test
  void a_directory_that_may_be_of_somebody_else_is_not_deleted() throws Exception {
    backUp();
    Path file = Files.createDirectories(path("mine")).resolve("file");
    Files.writeString(file, "mine");
    assertThat(restore(path("mine"))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("is not empty", "that was killed");
    assertThat(backUp(path("mine"))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("is not empty");
    assertThat(restore(file)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("is no directory");
    for (Path near : List.of(path("backup"), path("backup/work"), directory)) {
      assertThat(restore(near)).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).contains("name a directory apart from");
      assertThat(backUp(near)).isEqualTo(ExitCode.USAGE);
    }
    assertThat(file).hasContent("mine");
    assertThat(path("backup/sets")).isNotEmptyDirectory();
  }

  @Test
  void a_disk_that_is_too_small_is_named_before_anything_is_copied() throws IOException {
    try (WorkDirectory work = WorkDirectory.open(path("work"), path("backup"))) {
      assertThat(work.free()).isPositive();
      work.requireRoom(1_000, 1_000);
      assertThatThrownBy(() -> work.requireRoom(5 << 20, 3 << 20))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("has 3.00 MiB free, and the backup has 5.00 MiB");
    }
  }
}
