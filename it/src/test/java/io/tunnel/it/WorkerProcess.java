package io.tunnel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A process that consumes; see {@link WorkerMain}. */
final class WorkerProcess {

  private static final Pattern WORKING = Pattern.compile("working");
  private static final Pattern HELD = Pattern.compile("held");

  private final ChildProcess child;
  private final Path notes;
  private final String tag;

  WorkerProcess(
      Stage stage, Service service, String tunnelId, String tag, Duration checkpointInterval) {
    this(stage, service, tunnelId, WorkerSetup.of(tag, checkpointInterval));
  }

  WorkerProcess(Stage stage, Service service, String tunnelId, WorkerSetup setup) {
    this.notes = stage.path("seen");
    this.tag = setup.tag();
    List<String> arguments = new ArrayList<>(setup.toArguments());
    arguments.addAll(0, List.of(service.endpoint(), tunnelId, notes.toString()));
    child = stage.child(tag, WorkerMain.class.getName(), arguments);
  }

  /** Returns when it has a session. */
  WorkerProcess awaitWorking() {
    var unused = child.awaitLine(WORKING);
    return this;
  }

  /** Returns when it has processed all that it may at once, and a callback waits. */
  WorkerProcess awaitHeld() {
    var unused = child.awaitLine(HELD);
    return this;
  }

  /** Lets all callbacks go on that wait, and all further ones. */
  void goOn() {
    child.tell("go");
  }

  /** Returns when the processor was told that; now or before. */
  void awaitTold(String callback, String channelId) {
    var unused = child.awaitLine(Pattern.compile(callback + " " + Pattern.quote(channelId)));
  }

  /** How often the processor was told that, of all its channels. */
  int told(String callback) {
    return child.count(Pattern.compile(callback + " .*"));
  }

  ChildProcess child() {
    return child;
  }

  String tag() {
    return tag;
  }

  /** What it has seen until now. */
  List<Seen> seen() {
    return noted().stream().map(Noted::seen).toList();
  }

  /** The notes of the worker, with when it held what. */
  List<Noted> noted() {
    return Noted.read(notes);
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
