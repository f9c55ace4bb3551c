package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A process that consumes; see {@link WorkerMain}. */
public final class WorkerProcess {

  private static final Pattern WORKING = Pattern.compile("working");
  private static final Pattern HELD = Pattern.compile("held");

  private final ChildProcess child;
  private final Path notes;
  private final String tag;

  public WorkerProcess(
      Stage stage, Service service, String tunnelId, String tag, Duration checkpointInterval) {
    this(stage, service, tunnelId, WorkerSetup.of(tag, checkpointInterval));
  }

  public WorkerProcess(Stage stage, Service service, String tunnelId, WorkerSetup setup) {
    this(stage, service, tunnelId, setup, ChildProcess.CLASS_PATH);
  }

  /** A worker of that build. */
  WorkerProcess(Stage stage, Service service, String tunnelId, WorkerSetup setup, Build build) {
    this(stage, service, tunnelId, setup, build.classPath());
  }

  private WorkerProcess(
      Stage stage, Service service, String tunnelId, WorkerSetup setup, String classPath) {
    this.notes = stage.path("seen");
    this.tag = setup.tag();
    List<String> arguments = new ArrayList<>(setup.toArguments());
    arguments.addAll(0, List.of(service.endpoint(), tunnelId, notes.toString()));
    child =
        stage.child(
            tag, classPath, ChildProcess.JVM_OPTIONS, WorkerMain.class.getName(), arguments);
  }

  /** Returns when it has a session. */
  public WorkerProcess awaitWorking() {
    var unused = child.awaitLine(WORKING);
    return this;
  }

  /** Returns when it has processed all that it may at once, and a callback waits. */
  public WorkerProcess awaitHeld() {
    var unused = child.awaitLine(HELD);
    return this;
  }

  /** Lets waiting and later callbacks go on. */
  public void goOn() {
    child.tell("go");
  }

  /** Returns when the processor was told that; now or before. */
  public void awaitTold(String callback, String channelId) {
    var unused = child.awaitLine(Pattern.compile(callback + " " + Pattern.quote(channelId)));
  }

  /** How often the processor was told that, of all its channels. */
  public int told(String callback) {
    return child.count(Pattern.compile(callback + " .*"));
  }

  public ChildProcess child() {
    return child;
  }

  String tag() {
    return tag;
  }

  /** What it has seen until now. */
  public List<Seen> seen() {
    return noted().stream().map(Noted::seen).toList();
  }

  /** The notes of the worker, with when it held what. */
  public List<Noted> noted() {
    return Noted.read(notes);
  }

  /** Ends it gracefully. */
  public List<Seen> stop() {
    child.tell("stop");
    assertThat(child.awaitExit()).as("exit code of %s", tag).isZero();
    return seen();
  }

  /** Ends it as a crash would. */
  public List<Seen> kill() {
    child.kill();
    return seen();
  }
}
