package io.tunnel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** A process that consumes; see {@link WorkerMain}. */
final class WorkerProcess {

  private static final Pattern WORKING = Pattern.compile("working");

  private final ChildProcess child;
  private final Path notes;
  private final String tag;

  WorkerProcess(
      Stage stage, ServerProcess server, String tunnelId, String tag, Duration checkpointInterval) {
    this.notes = stage.path("seen");
    this.tag = tag;
    child =
        stage.child(
            tag,
            WorkerMain.class.getName(),
            List.of(
                server.endpoint(),
                tunnelId,
                tag,
                "" + checkpointInterval.toMillis(),
                notes.toString()));
  }

  /** Returns when it has a session. */
  WorkerProcess awaitWorking() {
    var unused = child.awaitLine(WORKING);
    return this;
  }

  String tag() {
    return tag;
  }

  /** What it has seen until now. */
  List<Seen> seen() {
    return Seen.read(notes);
  }

  /** Ends it gracefully. */
  List<Seen> stop() {
    child.tell("stop");
    assertThat(child.awaitExit()).as("exit code of %s", tag).isZero();
    return seen();
  }

  /** Ends it as a crash would. */
  List<Seen> kill() {
    child.kill();
    return seen();
  }
}
