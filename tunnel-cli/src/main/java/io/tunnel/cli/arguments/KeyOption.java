package io.tunnel.cli.arguments;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.terminal.CommandFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options {@code --key} and {@code --hashed}, which name one row. */
public final class KeyOption {

  @Option(
      names = "--key",
      paramLabel = "NAME=VALUE",
      description =
          "A column of the key; give each. Of a recommended hashed key the hash may be left out."
              + " 'tables put' takes NAME=auto for an AUTO column.")
  private List<String> items = List.of();

  @Option(
      names = "--hashed",
      description =
          "The first column of the key is the hash of the others, though it is not called hash:"
              + " compute it.")
  private boolean isHashed;

  /** For picocli. */
  public KeyOption() {}

  /**
   * Whether a key was given.
   *
   * @throws io.tunnel.terminal.CommandFailure when what was given is none
   */
  public boolean isGiven() {
    return !values().isEmpty();
  }

  /** Throws a usage error when no key was given. */
  public void requireGiven() {
    if (!isGiven()) {
      throw CommandFailure.usage("Missing required option: '--key=NAME=VALUE'");
    }
  }

  /** Whether the first column is said to be a hash. */
  public boolean isHashed() {
    return isHashed;
  }

  /**
   * The key of a row that may be there, in a table with that schema.
   *
   * @throws io.tunnel.terminal.CommandFailure when the key does not fit the table, or leaves its
   *     number to the server
   */
  public TypedKey in(List<PrimaryKeySchema> schema) {
    TypedKey typed = toWrite(schema);
    if (typed.key().isToBeNumbered()) {
      throw CommandFailure.usage(
          "--key "
              + typed.key()
              + " leaves its number to the server, which only 'tables put' does; give the number");
    }
    return typed;
  }

  /**
   * The key of a row that is written, which may leave its number to the server.
   *
   * @throws io.tunnel.terminal.CommandFailure when the key does not fit the table
   */
  public TypedKey toWrite(List<PrimaryKeySchema> schema) {
    return KeyArguments.whole(schema, values(), isHashed);
  }

  /** The last of two values for one column would name another row than the first. */
  private Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    for (String item : items) {
      int equals = item.indexOf('=');
      if (equals < 1) {
        throw CommandFailure.usage("--key '" + item + "' is not NAME=VALUE");
      }
      String name = item.substring(0, equals);
      if (values.putIfAbsent(name, item.substring(equals + 1)) != null) {
        throw CommandFailure.usage("key column '" + name + "' is given twice");
      }
    }
    return values;
  }
}
