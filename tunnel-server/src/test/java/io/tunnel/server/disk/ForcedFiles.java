package io.tunnel.server.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * The files and directories that this JVM asked the operating system to make durable, as the JVM
 * itself records its calls. Files that are opened for synchronous writes are not among them, nor
 * are those of RocksDB.
 */
public final class ForcedFiles implements Closeable {

  private static final String FORCE = "jdk.FileForce";

  private final Recording recording = new Recording();

  /** Records from now on. */
  public ForcedFiles() {
    // Newer JVMs leave out some events of a kind that is frequent, unless they are told.
    recording
        .enable(FORCE)
        .withThreshold(Duration.ZERO)
        .withoutStackTrace()
        .with("throttle", "off");
    recording.start();
  }

  /** Ends the recording; all paths in order, each as often as it was forced. */
  public List<Path> paths() throws IOException {
    recording.stop();
    Path file = Files.createTempFile("forced", ".jfr");
    recording.dump(file);
    List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
    Files.delete(file);
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(FORCE))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .map(event -> Path.of(event.getString("path")))
        .toList();
  }

  @Override
  public void close() {
    recording.close();
  }
}
