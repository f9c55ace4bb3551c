package io.tunnel.it.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import io.tunnel.it.process.WorkerMain;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.it.process.WriterMain;
import io.tunnel.it.process.WriterSetup;
import io.tunnel.sdk.RowResult.Outcome;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The writer and the workers of these tests for tests that run them elsewhere than in processes of
 * this machine, and what their notes prove afterwards.
 */
public final class Evidence {

  private static final int ROWS_PER_SECOND = 1_500;
  private static final Duration REQUEST_DEADLINE = Duration.ofSeconds(5);

  private final Ledger ledger;
  private final Sightings sightings;

  private Evidence(Ledger ledger, Sightings sightings) {
    this.ledger = ledger;
    this.sightings = sightings;
  }

  /** Main class and arguments of a writer that goes on until its standard input ends. */
  public static List<String> writer(String endpoint, String table, int partitions, Path notes) {
    List<String> arguments = new ArrayList<>();
    arguments.add(WriterMain.class.getName());
    arguments.addAll(List.of(endpoint, table, Integer.toString(partitions), notes.toString()));
    WriterSetup setup = WriterSetup.paced(7, ROWS_PER_SECOND).withRequestDeadline(REQUEST_DEADLINE);
    arguments.addAll(setup.toArguments());
    return arguments;
  }

  /** Main class and arguments of a worker that goes on until its standard input ends. */
  public static List<String> worker(String endpoint, String tunnelId, String tag, Path notes) {
    List<String> arguments = new ArrayList<>();
    arguments.add(WorkerMain.class.getName());
    arguments.addAll(List.of(endpoint, tunnelId, notes.toString()));
    arguments.addAll(WorkerSetup.of(tag, Duration.ofMillis(200)).toArguments());
    return arguments;
  }

  /** Where the classes of these programs are; they need the libraries of the server besides. */
  public static Path classes() {
    try {
      return Path.of(Evidence.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("our own classes are nowhere", e);
    }
  }

  /** Split points of the writer's table, as a tool takes them. */
  public static String splitPoints(int partitions) {
    List<String> points = new ArrayList<>();
    new TestTable("any", partitions)
        .splitPoints()
        .forEach(point -> points.add(Long.toString(point.asLong())));
    return String.join(",", points);
  }

  /** What these notes say; fails when a worker was given changes in a wrong order. */
  public static Evidence of(Path written, List<Path> seen) {
    List<Seen> all = Noted.inTurns(seen.stream().flatMap(notes -> Noted.read(notes).stream()));
    return new Evidence(new Ledger(Written.read(written)), new Sightings().add(all));
  }

  /**
   * Fails unless every acknowledged row was seen as it was written, and nothing that nobody wrote.
   */
  public void requireConsumed() {
    int doubtful = ledger.requireConsumed(sightings);
    assertThat(doubtful)
        .as("rows in doubt that were applied")
        .isLessThanOrEqualTo(ledger.count(Outcome.IN_DOUBT));
    assertThat(sightings.count())
        .as("changes seen")
        .isEqualTo(ledger.count(Outcome.APPLIED) + doubtful);
  }

  /** Rows that the writer knows to be applied. */
  public int acknowledged() {
    return ledger.count(Outcome.APPLIED);
  }
}
