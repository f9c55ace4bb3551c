package io.tunnel.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.backup.BackupCommand;
import io.tunnel.cli.backup.RestoreCommand;
import io.tunnel.model.OptionsChange;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * How each command that works on a directory ends, by what is wrong with the directory. Scripts
 * believe the code alone, so it agrees with what the command prints.
 */
final class DirectoryExitCodesTest extends DamagedDirectoryTest {

  /** A command, and its options before those of its state. */
  private enum Command {
    DOCTOR,
    QUICK_DOCTOR,
    REPAIR,
    SALVAGE,
    BACKUP,
    RESTORE
  }

  /** What a directory is in, and how each command ends there: as {@link Command} orders them. */
  private enum State {
    SOUND(ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK),
    /** One bit of a change is wrong; a backup takes the change as it is. */
    LOG_DAMAGED(
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.OK,
        ExitCode.OK,
        ExitCode.FAILED),
    /** A file of the log is gone: no salvage can do without it, and no backup is taken. */
    SEGMENT_GONE(
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.IO,
        ExitCode.FAILED),
    /** An index is wrong, without which a start only takes longer. */
    INDEX_DAMAGED(ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK),
    /** A file of rows is wrong, which the log makes again. */
    ROWS_DAMAGED(
        ExitCode.FAILED,
        ExitCode.FAILED,
        ExitCode.OK,
        ExitCode.FAILED,
        ExitCode.OK,
        ExitCode.FAILED),
    /** Retention gave up changes that made rows. */
    SHORTENED(
        ExitCode.NOT_ALL_CHECKED, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK, ExitCode.OK),
    /** It is no data directory, and no backup was taken. */
    FOREIGN(
        ExitCode.USAGE,
        ExitCode.USAGE,
        ExitCode.USAGE,
        ExitCode.USAGE,
        ExitCode.USAGE,
        ExitCode.USAGE),
    /** A file cannot be read. */
    UNREADABLE(ExitCode.IO, ExitCode.IO, ExitCode.IO, ExitCode.IO, ExitCode.IO, ExitCode.IO);

    @SuppressWarnings("ImmutableEnumChecker") // It is a copy that nothing changes.
    private final List<Integer> codes;

    State(Integer... codes) {
      this.codes = List.of(codes);
    }

    int code(Command command) {
      return codes.get(List.of(Command.values()).indexOf(command));
    }
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(State.values())
        .flatMap(
            state -> Arrays.stream(Command.values()).map(command -> Arguments.of(state, command)));
  }

  private void be(State state) throws Exception {
    Path segment = files(0, ".log").get(1);
    switch (state) {
      case SOUND -> {}
      case LOG_DAMAGED -> flip(segment, Files.size(segment) / 2);
      case SEGMENT_GONE -> Files.delete(segment);
      case INDEX_DAMAGED -> {
        Path index = files(0, ".index").get(1);
        flip(index, Files.size(index) / 2);
      }
      case ROWS_DAMAGED -> {
        try (Stream<Path> tables = Files.list(data.resolve("shard-0/table"))) {
          Path rows =
              tables.filter(file -> file.toString().endsWith(".sst")).findFirst().orElseThrow();
          flip(rows, Files.size(rows) / 2);
        }
      }
      case SHORTENED -> shorten();
      case FOREIGN -> Files.delete(data.resolve("FORMAT"));
      case UNREADABLE -> {
        Files.delete(data.resolve("FORMAT"));
        // A link to itself cannot be read by anybody, root included.
        Files.createSymbolicLink(data.resolve("FORMAT"), data.resolve("FORMAT"));
      }
    }
  }

  private void shorten() throws Exception {
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      Path first = files(0, ".log").get(0);
      var unused = tables.alterTable("orders", new OptionsChange().withRetentionBytes(100 << 10));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (Files.exists(first) && System.nanoTime() - deadline < 0) {
        Thread.onSpinWait();
      }
      assertThat(first).doesNotExist();
    }
  }

  private int run(Object command, List<String> arguments, boolean isJson) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> all = new ArrayList<>(arguments);
    if (isJson) {
      all.add("--json");
    }
    CommandLine line =
        new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(line, Diagnosis.standard(), all.toArray(new String[0]));
  }

  private int run(Command command, boolean isJson) throws IOException {
    String of = data.toString();
    Path backups = directory.resolve("backups-" + isJson);
    List<String> restoring =
        List.of("--from", backups.toString(), "--data", directory.resolve("new-" + isJson) + "");
    List<String> backing = List.of("--data", of, "--to", backups.toString());
    return switch (command) {
      case DOCTOR -> run(new DoctorCommand(), List.of("--data", of), isJson);
      case QUICK_DOCTOR -> run(new DoctorCommand(), List.of("--data", of, "--quick"), isJson);
      case REPAIR -> run(new DoctorCommand(), List.of("--data", of, "--repair"), isJson);
      case SALVAGE -> run(new DoctorCommand(), List.of("--data", of, "--salvage", "--yes"), isJson);
      case BACKUP -> run(new BackupCommand(), backing, isJson);
      case RESTORE -> {
        if (Files.isSymbolicLink(data.resolve("FORMAT"))) {
          Files.createDirectories(backups);
          Files.createSymbolicLink(backups.resolve("BACKUP"), backups.resolve("BACKUP"));
        } else {
          int unused = run(new BackupCommand(), backing, false);
        }
        yield run(new RestoreCommand(), restoring, isJson);
      }
    };
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cases")
  void says_by_its_exit_code_what_it_prints(State state, Command command) throws Exception {
    be(state);
    int code = state.code(command);
    boolean mayChange = command == Command.REPAIR || command == Command.SALVAGE;
    for (boolean isJson : mayChange ? new boolean[] {true} : new boolean[] {true, false}) {
      assertThat(run(command, isJson)).as(() -> out + "" + err).isEqualTo(code);
      boolean isDone = code == ExitCode.OK || code == ExitCode.NOT_ALL_CHECKED;
      boolean isRefused = code == ExitCode.USAGE || code == ExitCode.IO;
      if (isRefused || (state == State.SEGMENT_GONE && command == Command.RESTORE)) {
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).isNotEmpty();
      } else if (command != Command.BACKUP && isJson) {
        JsonObject report = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertThat(report.get("isSound").getAsBoolean()).isEqualTo(isDone);
      } else if (command == Command.RESTORE) {
        assertThat(out.toString().contains("\nsound: ")).isEqualTo(isDone);
        assertThat(out.toString().contains("not sound")).isEqualTo(!isDone);
      }
    }
  }

  static Stream<Arguments> locked() {
    return Stream.of(
        Arguments.of(Command.DOCTOR, ExitCode.UNAVAILABLE),
        Arguments.of(Command.QUICK_DOCTOR, ExitCode.UNAVAILABLE),
        Arguments.of(Command.REPAIR, ExitCode.UNAVAILABLE),
        Arguments.of(Command.SALVAGE, ExitCode.UNAVAILABLE),
        Arguments.of(Command.BACKUP, ExitCode.OK),
        Arguments.of(Command.RESTORE, ExitCode.OK));
  }

  @ParameterizedTest
  @MethodSource("locked")
  void ends_by_whether_it_may_run_beside_a_server(Command command, int code) throws IOException {
    Map<String, String> before = content();
    try (FileChannel file =
            FileChannel.open(
                data.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThat(run(command, false)).as(() -> out + "" + err).isEqualTo(code);
    }
    assertThat(content().keySet()).containsAll(before.keySet());
  }
}
