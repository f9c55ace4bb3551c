package io.tunnel.it.table;

import io.tunnel.it.ledger.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * What this JVM asked the operating system to make durable, as the JVM itself records it, among
 * moments that a test names. Nothing of the server is replaced or told.
 */
public final class Forces implements AutoCloseable {

  private static final String FORCE = "jdk.FileForce";

  private final Recording recording = new Recording();

  /** Something that a test did or saw. */
  @Name("tunnel.test.Moment")
  @SuppressWarnings("UnusedVariable") // Read from the recording.
  private static final class Moment extends Event {
    private String what;
  }

  /** One call of the system for a file or a directory, or (without a path) a moment. */
  record Force(String what, String path, Instant begun, Instant ended) {}

  public Forces() {
    // Newer JVMs leave out some events of a kind that is frequent, unless they are told.
    recording
        .enable(FORCE)
        .withThreshold(Duration.ZERO)
        .withoutStackTrace()
        .with("throttle", "off");
    recording.enable(Moment.class).withoutStackTrace();
    recording.start();
  }

  /** The test is here. */
  public void moment(String what) {
    Moment moment = new Moment();
    moment.what = what;
    moment.commit();
  }

  /** Ends the recording; all events in the order of their begin. */
  public Seen seen() {
    recording.stop();
    try {
      Path file = Files.createTempFile("forces", ".jfr");
      recording.dump(file);
      List<Force> all = new ArrayList<>();
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        boolean isForce = event.getEventType().getName().equals(FORCE);
        all.add(
            new Force(
                isForce ? "" : event.getString("what"),
                isForce ? String.valueOf(event.getString("path")) : "",
                event.getStartTime(),
                event.getEndTime()));
      }
      Files.delete(file);
      all.sort((a, b) -> a.begun().compareTo(b.begun()));
      return new Seen(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What was recorded. */
  public record Seen(List<Force> all) {

    /** The paths that were forced between two moments. */
    public List<String> between(String from, String to) {
      Instant begun = moment(from);
      Instant ended = moment(to);
      return all.stream()
          .filter(force -> force.what().isEmpty())
          .filter(force -> !force.begun().isBefore(begun) && !force.ended().isAfter(ended))
          .map(Force::path)
          .toList();
    }

    private Instant moment(String what) {
      return all.stream()
          .filter(force -> force.what().equals(what))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no moment '" + what + "'"))
          .begun();
    }
  }

  @Override
  public void close() {
    recording.close();
  }
}
