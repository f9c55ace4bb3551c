package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A process that writes; see {@link WriterMain}. */
public final class WriterProcess {

  private static final Pattern APPLIED = Pattern.compile("applied (\\d+)");

  private final ChildProcess child;
  private final Path notes;

  /** Starts to write {@code rowsMax} changes at most. */
  public WriterProcess(Stage stage, Service service, TestTable table, long seed, long rowsMax) {
    this(stage, service, table, WriterSetup.of(seed, rowsMax));
  }

  /** Starts to write. */
  public WriterProcess(Stage stage, Service service, TestTable table, WriterSetup setup) {
    notes = stage.path("written");
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of(service.endpoint(), table.name(), "" + table.partitions()));
    arguments.add(notes.toString());
    arguments.addAll(setup.toArguments());
    child = stage.child("writer", WriterMain.class.getName(), arguments);
  }

  public ChildProcess child() {
    return child;
  }

  /** How many rows the writer knows to be applied, give or take some hundred. */
  long applied() {
    return child.lastLine(APPLIED).map(line -> Long.parseLong(line.group(1))).orElse(0L);
  }

  /** Returns when so many rows more than now are applied. */
  public void awaitMoreApplied(long rows) {
    long target = applied() + rows;
    Poll.until(
        "the writer has got no further than " + applied() + " of " + target,
        () -> {
          assertThat(child.isAlive()).as("the writer lives").isTrue();
          return applied() >= target;
        });
  }

  /** Tells it to add nothing more and waits for the outcome of every row. */
  public List<Written> stop() {
    child.tell("stop");
    return awaitEnd();
  }

  /** Waits for the outcome of all rows that it was to write. */
  public List<Written> awaitEnd() {
    assertThat(child.awaitExit()).as("exit code of the writer").isZero();
    return Written.read(notes);
  }
}
