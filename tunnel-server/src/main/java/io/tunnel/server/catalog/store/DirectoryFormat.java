package io.tunnel.server.catalog.store;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.tunnel.model.Level;
import io.tunnel.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The content of the file {@code FORMAT} of a data directory.
 *
 * @param format number of the {@link StoredForm}
 * @param shards number of shards, which never changes
 * @param cluster the cluster whose cache the directory is; absent when the directory holds all data
 * @param level the level of the directory; absent for the first level, and where a cluster has the
 *     level
 */
public record DirectoryFormat(int format, int shards, String cluster, Integer level) {

  private static final Gson GSON = new Gson();

  /**
   * Of a new directory.
   *
   * @param cluster the cluster whose cache the directory is
   * @param level the level, or {@link Level#FIRST} where a cluster has the level
   */
  public static DirectoryFormat of(int shards, Optional<String> cluster, int level) {
    return new DirectoryFormat(
        StoredForm.NUMBER, shards, cluster.orElse(null), level == Level.FIRST ? null : level);
  }

  /**
   * Reads the file; whether this build can use the directory remains to be asked.
   *
   * @throws java.nio.file.NoSuchFileException when there is no such file
   * @throws IOException when it has other content
   */
  public static DirectoryFormat read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " does not contain the format of the data directory", e);
    }
    try {
      DirectoryFormat read = GSON.fromJson(text, DirectoryFormat.class);
      if (read != null
          && read.format() > 0
          && (read.format() != StoredForm.NUMBER || read.shards() > 0)
          && read.levelOrFirst() >= Level.FIRST) {
        return read;
      }
    } catch (JsonParseException e) {
      // Reported below.
    }
    throw new IOException(
        file + " does not contain the format of the data directory: '" + text + "'");
  }

  /** The level. */
  public int levelOrFirst() {
    return level == null ? Level.FIRST : level;
  }

  /** The same directory at another level. */
  public DirectoryFormat at(int newLevel) {
    return of(shards, Optional.ofNullable(cluster), newLevel);
  }

  /**
   * Refuses a directory whose level is above that of this build.
   *
   * @throws IOException which says what to do
   */
  public void requireServed(Path directory) throws IOException {
    if (levelOrFirst() > Level.NEWEST) {
      throw new IOException(
          Level.below("the data directory " + directory, levelOrFirst(), Level.NEWEST));
    }
  }

  /** Replaces the file durably. */
  public void store(Path file) throws IOException {
    DurableFiles.replace(file, ByteBuffer.wrap(GSON.toJson(this).getBytes(StandardCharsets.UTF_8)));
  }
}
