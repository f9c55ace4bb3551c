package io.tunnel.cli.rows;

import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of commands that set columns of a row, which may be a new one. */
final class SetOptions {

  @Option(
      names = "--set",
      paramLabel = "NAME[:TYPE]=VALUE",
      description =
          "A column. TYPE is INTEGER, DOUBLE, BOOLEAN, STRING or BINARY (hexadecimal); without it"
              + " the text decides the type.")
  private List<String> set = List.of();

  @Option(
      names = "--if-absent",
      description = "Only if there is no row with that key; it is rejected otherwise.")
  private boolean ifAbsent;

  /** For picocli. */
  SetOptions() {}

  /** The columns, as they were typed. */
  List<String> set() {
    return set;
  }

  /** What must hold of a row, where {@code other} is what the command's other options ask for. */
  RowExistenceExpectation condition(RowExistenceExpectation other) {
    return ifAbsent ? RowExistenceExpectation.EXPECT_NOT_EXIST : other;
  }

  /** Refuses {@code --if-absent} beside {@code --if-exists}. */
  void check(boolean isIfExists) {
    if (ifAbsent && isIfExists) {
      throw CommandFailure.usage("--if-exists and --if-absent exclude each other");
    }
  }
}
