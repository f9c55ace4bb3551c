package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log whose files somebody has written into, with right checksums or wrong ones: the log opens or
 * reports damage, and opens again with the same changes.
 */
@Tag("proof-fuzz")
class SegmentsFuzzTest {

  private static final int SEGMENT_BYTES_MAX = 512;

  @TempDir private Path directory;

  @FuzzTest(maxDuration = "")
  void a_log_opens_or_says_what_is_wrong(FuzzedDataProvider data) throws IOException {
    empty();
    write();
    List<Path> files = files();
    Path file = files.get(data.consumeInt(0, files.size() - 1));
    byte[] bytes = Files.readAllBytes(file);
    boolean isWithChecksums = data.consumeBoolean();
    for (int i = data.consumeInt(1, 8); i > 0; i--) {
      int at = data.consumeInt(0, bytes.length - 1);
      byte[] over = data.consumeBytes(8);
      System.arraycopy(over, 0, bytes, at, Math.min(over.length, bytes.length - at));
    }
    int length = data.consumeBoolean() ? data.consumeInt(0, bytes.length) : bytes.length;
    bytes = Arrays.copyOf(bytes, length);
    if (isWithChecksums) {
      mendChecksums(bytes);
    }
    Files.write(file, bytes);

    String first = open();

    if (!first.startsWith("damaged")) {
      assertThat(open()).isEqualTo(first);
    }
  }

  private void write() throws IOException {
    List<PrimaryKeySchema> schema = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    try (LocalLog log = LocalLog.open(new FileDisk(directory), 0, SEGMENT_BYTES_MAX)) {
      for (int i = 0; i < 6; i++) {
        BatchBuilder builder = new BatchBuilder(schema, 4_096);
        builder.add(
            new RowDeleteChange(
                PrimaryKey.of(new PrimaryKeyColumn("id", PrimaryKeyValue.fromLong(i)))));
        byte[] batch = builder.build(i % 2);
        GroupCore group = new GroupCore(4_096);
        group.add(ChangeBatch.parse(batch, 0, batch.length));
        log.append(group, i % 3 == 0, 1_700_000_000_000_000L + i);
      }
    }
  }

  /** What is in the log, or why it does not open. */
  private String open() {
    StringBuilder seen = new StringBuilder();
    try (LocalLog log = LocalLog.open(new FileDisk(directory), 0, SEGMENT_BYTES_MAX)) {
      log.replay(log.wholeFrom(), new Transcript(seen));
      return seen.append(log.end()).toString();
    } catch (IOException | MalformedException e) {
      return "damaged: " + e.getMessage();
    }
  }

  /** Writes down what a replay gives. */
  private record Transcript(StringBuilder seen) implements ReplayVisitor {
    @Override
    public void batch(ChangeBatch batch) {
      seen.append(batch.partition()).append(' ').append(batch.basePosition()).append(';');
    }

    @Override
    public void answers(ChangeBatch batch) {}

    @Override
    public void groupEnd(long end) {
      seen.append(end).append('|');
    }
  }

  /** Gives every header and batch of a segment the checksum of the bytes that it has now. */
  private static void mendChecksums(byte[] bytes) {
    if (bytes.length >= LogFormat.SEGMENT_HEADER_BYTES
        && Binary.getLong(bytes, 0) == LogFormat.SEGMENT_MAGIC) {
      int header = LogFormat.SEGMENT_HEADER_BYTES - 4;
      Binary.putInt(bytes, header, Checksum.crc32c(bytes, 0, header));
    }
    for (int at = 0; at + LogFormat.GROUP_HEADER_BYTES <= bytes.length; at++) {
      if (Binary.getInt(bytes, at) == LogFormat.GROUP_MAGIC) {
        Binary.putInt(
            bytes, at + 4, Checksum.crc32c(bytes, at + 8, LogFormat.GROUP_HEADER_BYTES - 8));
        int batch = at + LogFormat.GROUP_HEADER_BYTES;
        int size = batch + 4 <= bytes.length ? Binary.getInt(bytes, batch) + 4 : 0;
        if (size >= ChangeBatch.HEADER_BYTES_MIN && size <= bytes.length - batch) {
          Binary.putInt(bytes, batch + 4, Checksum.crc32c(bytes, batch + 8, size - 8));
        }
      }
    }
  }

  private void empty() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  private List<Path> files() throws IOException {
    try (var listed = Files.list(directory)) {
      return listed.sorted().toList();
    }
  }
}
