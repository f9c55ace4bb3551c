package io.tunnel.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.cli.backup.BackupCommand;
import io.tunnel.cli.doctor.TestDirectory;
import io.tunnel.cli.log.ExpectsTrouble;
import io.tunnel.model.Level;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.replica.append.LogSilentException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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

  /** Kafka is not asked whether there is a cluster. */
  private int restore(Path work) {
    return restore(new ClusterRestoreCommand((clusters, remarks) -> Optional.empty()), work);
  }

  private int restore(ClusterRestoreCommand command, Path work) {
    return restore(command, work, NOWHERE);
  }

  private int restore(ClusterRestoreCommand command, Path work, String bootstrap) {
    return run(
        command,
        List.of(
            "--from",
            path("backup").toString(),
            "--work",
            work.toString(),
            "--bootstrap",
            bootstrap));
  }

  private int backUp(Path work) {
    return backUp(new ClusterBackupCommand(clusters -> {}), path("backup"), work);
  }

  private int backUp(ClusterBackupCommand command, Path to, Path work) {
    return run(
        command, List.of("--to", to.toString(), "--work", work.toString(), "--bootstrap", NOWHERE));
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
    requireNotRestored(
        "the file of the backup %s has %d bytes, and had %d when the backup was taken; restore another"
            .formatted(segment, whole.length - 1, whole.length));
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
  void a_directory_with_backups_of_several_services_wants_a_number() throws Exception {
    backUp();
    String text = Files.readString(path("backup/sets/00000001.json"));
    Files.writeString(
        path("backup/sets/00000002.json"),
        text.replace("\"number\":1", "\"number\":2")
            .replaceFirst("\"service\":\"[^\"]*\"", "\"service\":\"cluster-2\""));
    assertThat(restore(path("work"))).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains(
            "has backups of several services, the newest ones are 2 of cluster-2, 1 of server-")
        .contains("name a backup with --backup");
    assertThat(path("work")).doesNotExist();
  }

  @Test
  void a_directory_that_may_be_of_somebody_else_is_not_deleted() throws Exception {
    backUp();
    Path file = Files.createDirectories(path("mine")).resolve("file");
    Files.writeString(file, "mine");
    assertThat(restore(path("mine"))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("has files that are not of a killed command");
    assertThat(backUp(path("mine"))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("has files that are not of a killed command");
    Files.createFile(path("mine").resolve(WorkDirectory.MARK));
    assertThat(backUp(path("mine"))).as("the mark alone is no proof").isEqualTo(ExitCode.USAGE);
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
    try (WorkDirectory work = open(path("work"))) {
      assertThat(work.free()).isPositive();
      work.requireRoom(1_000, 1_000);
      assertThatThrownBy(() -> work.requireRoom(5 << 20, 3 << 20))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("has 3.00 MiB free, and the backup has 5.00 MiB");
    }
  }

  private WorkDirectory open(Path work) throws IOException {
    return WorkDirectory.open(work, path("backup"), new PrintWriter(err));
  }

  @Test
  void the_files_of_a_killed_command_are_deleted_and_no_others() throws IOException {
    Path data;
    try (WorkDirectory work = open(path("work"))) {
      data = work.path();
      assertThat(data).doesNotExist();
      Files.createDirectories(data.resolve("shard-0"));
      Path mark = path("work").resolve(WorkDirectory.MARK);
      assertThat(mark).exists();
      // A killed command leaves a copy of this directory.
      Files.createDirectories(path("killed").resolve(path("work").relativize(data)));
      Files.copy(mark, path("killed").resolve(WorkDirectory.MARK));
    }
    assertThat(path("work")).doesNotExist();
    assertThat(err.toString()).isEmpty();
    try (WorkDirectory work = open(path("killed"))) {
      assertThat(work.path()).doesNotExist();
      assertThat(err.toString()).contains("deletes the files of a killed command in --work ");
      Files.writeString(path("killed").resolve("mine"), "put there meanwhile");
      Files.createDirectories(work.path());
    }
    assertThat(path("killed").resolve("mine")).hasContent("put there meanwhile");
    assertThat(path("killed").resolve(WorkDirectory.MARK)).doesNotExist();
  }

  @Test
  void two_commands_do_not_share_a_directory() throws IOException {
    try (WorkDirectory work = open(path("work"))) {
      Files.createDirectories(work.path());
      assertThatThrownBy(() -> open(path("work")))
          .isInstanceOfSatisfying(
              CommandFailure.class,
              failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE))
          .hasMessageContaining("is in use by another command");
      assertThat(work.path()).exists();
    }
    open(path("work")).close();
  }

  @Test
  void a_directory_of_backups_in_use_ends_a_backup_before_kafka_is_asked() throws Exception {
    backUp();
    FirstQuestion asked = failing(new IOException("asked"));
    try (BackupDirectory inUse = BackupDirectory.create(path("backup"))) {
      assertThat(inUse.sets()).hasSize(1);
      assertThat(backUp(new ClusterBackupCommand(asked), path("backup"), path("work")))
          .isEqualTo(ExitCode.UNAVAILABLE);
    }
    assertThat(err.toString()).contains("is in use by another backup or restore");
    assertThat(path("work")).doesNotExist();
  }

  private static FirstQuestion failing(IOException failure) {
    return clusters -> {
      throw failure;
    };
  }

  @Test
  void a_kafka_that_does_not_answer_is_named_before_anything_is_copied_or_created()
      throws Exception {
    backUp();
    IOException away = new LogUnavailableException("no broker answers", null);
    FirstQuestion unreachable = failing(away);
    ClusterRestoreCommand restore =
        new ClusterRestoreCommand(
            (clusters, remarks) -> {
              throw away;
            });
    assertThat(restore(restore, path("work"))).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(err.toString()).contains("no broker answers").doesNotContain("copying");
    assertThat(path("work")).doesNotExist();
    assertThat(backUp(new ClusterBackupCommand(unreachable), path("new"), path("work")))
        .isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(err.toString()).contains("no broker answers").doesNotContain("reading");
    assertThat(path("new")).doesNotExist();
    assertThat(path("work")).doesNotExist();
    assertThat(path("backup/sets/00000001.json")).exists();
    assertThat(restore(new ClusterRestoreCommand(), path("work"), "nowhere.invalid:9092"))
        .isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(err.toString()).contains("cannot connect to Kafka at nowhere.invalid:9092");
  }

  @Test
  void the_exit_code_says_whether_a_repetition_helps() {
    IOException unavailable = new LogUnavailableException("x", null);
    assertThat(KafkaFailure.of(new IOException("cannot read partition 1", unavailable)))
        .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE))
        .hasMessage("cannot read partition 1");
    assertThat(KafkaFailure.of(new StoreUnavailableException("x", unavailable)).exitCode())
        .isEqualTo(ExitCode.UNAVAILABLE);
    IOException silent = new IOException("cannot restore", new LogSilentException("x"));
    assertThat(KafkaFailure.of(silent).exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(KafkaFailure.of(new IOException("x")).exitCode()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void a_backup_to_a_place_that_cannot_be_one_is_refused_before_kafka_is_asked()
      throws IOException {
    Path file = Files.writeString(path("file"), "mine");
    FirstQuestion asked = failing(new IOException("asked"));
    for (Path wrong : List.of(file, file.resolve("below"))) {
      assertThat(backUp(new ClusterBackupCommand(asked), wrong, path("work")))
          .isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).contains(file + " is no directory");
    }
    Path full = Files.createDirectories(path("full"));
    Files.writeString(full.resolve("photo"), "mine");
    assertThat(backUp(new ClusterBackupCommand(asked), full, path("work")))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("holds other files");
    assertThat(backUp(new ClusterBackupCommand(asked), path("a/new"), path("work")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("asked");
    assertThat(path("a")).doesNotExist();
  }

  @Test
  void options_are_named_as_the_user_typed_them() throws Exception {
    backUp();
    requireUsage("--replication is 1 to 15, not 16", "--replication", "16");
    requireUsage(
        "--min-insync is 1 to --replication, which is 2, not 3",
        "--replication",
        "2",
        "--min-insync",
        "3");
    requireUsage("--cluster is 1 to 64 letters", "--cluster", "a.b");
    requireUsage("--bootstrap is HOST:PORT,HOST:PORT, not 'here'", "--bootstrap", "here");
  }

  private void requireUsage(String why, String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("--from", path("backup").toString(), "--work", "work"));
    arguments.addAll(List.of(options));
    if (!arguments.contains("--bootstrap")) {
      arguments.addAll(List.of("--bootstrap", NOWHERE));
    }
    assertThat(run(new ClusterRestoreCommand(), arguments)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(why);
  }

  @Test
  void nothing_is_logged_between_the_lines_of_the_commands() {
    assertThat(new ClusterBackupCommand()).isInstanceOf(ExpectsTrouble.class);
    assertThat(new ClusterRestoreCommand()).isInstanceOf(ExpectsTrouble.class);
  }
}
