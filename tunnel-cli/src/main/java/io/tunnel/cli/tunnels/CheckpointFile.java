package io.tunnel.cli.tunnels;

import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * The file that progress is exported to: one JSON object.
 *
 * @param format always {@link #FORMAT}
 * @param version of the format, {@link #VERSION} or lower
 * @param exportedMs when it was exported, in milliseconds since 1970
 */
record CheckpointFile(String format, int version, long exportedMs, CheckpointSet checkpoints) {

  static final String FORMAT = "tunnel-checkpoints";

  static final int VERSION = 1;

  /** Some ten times what the channels of the largest table need. */
  static final long FILE_BYTES_MAX = 16L * 1024 * 1024;

  CheckpointFile {
    Objects.requireNonNull(format, "format");
    if (!format.equals(FORMAT)) {
      throw new IllegalArgumentException("its format is '" + format + "', not '" + FORMAT + "'");
    }
    if (version < 1 || version > VERSION) {
      throw new IllegalArgumentException(
          "its version is " + version + ", and this program reads 1 to " + VERSION);
    }
    Objects.requireNonNull(checkpoints, "checkpoints");
    Set<String> seen = new HashSet<>();
    for (ChannelPosition channel : checkpoints.channels()) {
      Objects.requireNonNull(channel, "checkpoints.channels");
      if (!seen.add(channel.type() + " channel of partition " + channel.partition())) {
        throw new IllegalArgumentException(
            "it has the "
                + channel.type()
                + " channel of partition "
                + channel.partition()
                + " twice");
      }
    }
  }

  static CheckpointFile of(CheckpointSet checkpoints, long nowMs) {
    return new CheckpointFile(FORMAT, VERSION, nowMs, checkpoints);
  }

  String text() {
    return Json.toText(this);
  }

  /**
   * Writes a file that must not exist yet: an older export is worth keeping.
   *
   * @throws IOException when that fails; a file that is not complete is deleted
   */
  void write(Path file) throws IOException {
    Files.createFile(file);
    try {
      Files.writeString(file, text() + "\n", StandardOpenOption.WRITE);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws CommandFailure when the file is no export; the message says what is wrong
   */
  static CheckpointFile read(Path file) throws IOException {
    String text = StandardStream.read(file, FILE_BYTES_MAX);
    if (text.isBlank()) {
      throw refusal(file, "it is empty");
    }
    try {
      Json.requireUniqueNames(text);
      return Json.ofText(text, CheckpointFile.class);
    } catch (MalformedException e) {
      throw refusal(file, e.getMessage().replaceFirst("^not a CheckpointFile: ", ""));
    }
  }

  private static CommandFailure refusal(Path file, String why) {
    return CommandFailure.failed(
        StandardStream.name(file) + " was not written by 'tunnel tunnels export': " + why);
  }
}
