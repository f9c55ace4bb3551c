package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.wire.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table "Every operation" of docs/operate/security.md. */
final class OperationsPage {

  private static final int COLUMNS = 6;

  /** A right, or any, on a thing; what follows says more. */
  private static final Pattern WHO =
      Pattern.compile(
          "(?:`([a-z]+)`|any right) on (?:the|(any)) (table|tunnel|cluster)([^;]*)(;.*)?");

  private OperationsPage() {}

  /**
   * A row.
   *
   * @param who who may call the operations
   * @param ends what ends their effect
   */
  record Row(List<Operation> operations, String who, String ends) {

    private Optional<Matcher> onThing() {
      return Optional.of(WHO.matcher(who)).filter(Matcher::matches);
    }

    private boolean isAbout(String thing) {
      return onThing().filter(found -> found.group(3).equals(thing)).isPresent();
    }

    boolean isAboutTable() {
      return isAbout("table");
    }

    /** Whether the right may be on any table, so that a refusal hides no table. */
    boolean isOnAny() {
      return onThing().map(found -> found.group(2)).isPresent();
    }

    boolean isAboutTunnel() {
      return isAbout("tunnel");
    }

    boolean isAboutCluster() {
      return isAbout("cluster");
    }

    /** Whether the node that has the tunnel decides, because the request has only an id. */
    boolean isDecidedById() {
      return who.endsWith("that the id names");
    }

    /** Whether a deputy does so to no principal with more rights. */
    boolean isLimitedForDeputies() {
      return who.contains("; a deputy for no principal with more rights");
    }

    /** The right; empty where any right will do, or none is needed. */
    Optional<String> right() {
      return onThing().map(found -> found.group(1));
    }
  }

  /** All rows; each cell says something. */
  static List<Row> rows() {
    List<String> lines;
    try {
      lines = Files.readAllLines(Path.of("../docs/operate/security.md"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int head = lines.indexOf("## Every operation");
    assertThat(head).as("the heading of the table").isNotNegative();
    return lines.subList(head + 1, lines.size()).stream()
        .dropWhile(line -> !line.startsWith("| --- "))
        .skip(1)
        .takeWhile(line -> line.startsWith("|"))
        .map(OperationsPage::row)
        .toList();
  }

  private static Row row(String line) {
    List<String> cells =
        Arrays.stream(line.split("\\|", -1)).map(String::strip).skip(1).limit(COLUMNS).toList();
    assertThat(cells).as(line).hasSize(COLUMNS).doesNotContain("");
    Row row =
        new Row(
            Arrays.stream(cells.get(0).split(", ", -1)).map(Operation::valueOf).toList(),
            cells.get(1),
            cells.get(4));
    assertThat(
            row.onThing().isPresent()
                || List.of("strangers", "every principal", "the holder", "servers").stream()
                    .anyMatch(row.who()::startsWith))
        .as("%s: who", line)
        .isTrue();
    return row;
  }
}
