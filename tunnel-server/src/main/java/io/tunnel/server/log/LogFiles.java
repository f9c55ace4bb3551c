package io.tunnel.server.log;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.ReadOnlyFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The files of a log at one time, also while a server writes to the log.
 *
 * @param trimmed content of the file that lists the deleted ranges; read before the names
 * @param sealed names of the sealed segments, oldest first
 * @param last name of the segment after the sealed segments, if any
 */
public record LogFiles(Optional<Bytes> trimmed, List<String> sealed, Optional<String> last) {

  /** Name of the file that says which changes were trimmed. */
  public static final String TRIMMED = LogFormat.TRIM_NAME;

  /** Copies. */
  public LogFiles {
    sealed = List.copyOf(sealed);
  }

  /**
   * Those in {@code directory}.
   *
   * @throws IOException when it cannot be known which changes were trimmed
   */
  public static LogFiles in(Path directory) throws IOException {
    Optional<Bytes> trimmed = read(directory.resolve(LogFormat.TRIM_NAME));
    TrimFile gaps = gaps(trimmed);
    if (gaps == null) {
      throw new CorruptLogException(
          directory.resolve(LogFormat.TRIM_NAME) + " does not match its checksum");
    }
    List<String> names = new ArrayList<>();
    for (String name : new FileDisk(directory).list()) {
      if (isSegment(name) && !gaps.isGap(base(name))) {
        names.add(name);
      }
    }
    Optional<String> last =
        names.isEmpty() ? Optional.empty() : Optional.of(names.remove(names.size() - 1));
    return new LogFiles(trimmed, names, last);
  }

  /** What the file says; null when it is not complete and intact. */
  private static TrimFile gaps(Optional<Bytes> trimmed) {
    return trimmed.isEmpty()
        ? TrimFile.NOTHING
        : TrimFile.read(ByteBuffer.wrap(trimmed.get().toByteArray()));
  }

  private static Optional<Bytes> read(Path file) throws IOException {
    try {
      return Optional.of(Bytes.copyOf(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static long base(String name) {
    return Long.parseLong(name.substring(0, name.indexOf('.')));
  }

  /** Whether that is how the file of a segment is called. */
  public static boolean isSegment(String name) {
    return LogFormat.SEGMENT_NAME.matcher(name).matches();
  }

  /**
   * Whether the copied segments and the deleted ranges form one log: each segment begins where the
   * previous segment or deleted range ends.
   *
   * @param bytesByName of all segments that were copied
   */
  public boolean areWhole(SortedMap<String, Long> bytesByName) {
    TrimFile gaps = gaps(trimmed);
    long end = 0;
    for (Map.Entry<String, Long> segment : bytesByName.entrySet()) {
      long base = base(segment.getKey());
      if (!gaps.follows(base, end)) {
        return false;
      }
      end = base + segment.getValue();
    }
    return true;
  }

  /** Name of the index of a segment. */
  public static String indexOf(String segment) {
    return LogFormat.indexName(base(segment));
  }

  /** Bytes of a segment up to the end of its last intact group; 0 when it has no header yet. */
  public static long intactBytes(Path segment) throws IOException {
    try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
      long size = file.size();
      if (size < LogFormat.SEGMENT_HEADER_BYTES) {
        return 0;
      }
      long base = base(segment.getFileName().toString());
      SegmentScan scan =
          new SegmentScan(
              new Segment(base, ReadOnlyFile.of(file), size), LogFormat.SEGMENT_HEADER_BYTES);
      while (scan.next((batch, offset) -> {})) {
        // On to the next group.
      }
      return scan.offset();
    }
  }
}
