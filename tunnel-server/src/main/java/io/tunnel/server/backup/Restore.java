package io.tunnel.server.backup;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.tunnel.codec.Checksum;
import io.tunnel.model.Level;
import io.tunnel.server.catalog.RestoredCounters;
import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.SecurityRecords;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Makes a data directory from a backup. {@code FORMAT} is written last, so every server refuses an
 * unfinished directory.
 */
public final class Restore {

  private static final Gson GSON = new Gson();

  private static final String INSTEAD =
      "; restore another backup (--list shows them, and --backup N names one), or take the file"
          + " from another copy of the directory of backups";

  private Restore() {}

  /**
   * Keys and tokens that are valid again, although they may have been revoked since the backup.
   *
   * @param keys ids of access keys
   * @param tokens ids of tokens of the HTTP port
   */
  public record Revived(List<String> keys, List<String> tokens) {
    /** Copies the lists. */
    public Revived {
      keys = List.copyOf(keys);
      tokens = List.copyOf(tokens);
    }
  }

  /**
   * Restores {@code set} into the directory {@code data}, which must be missing or empty.
   *
   * @param random different in each restore, so that two servers on one backup give out different
   *     ids
   * @return keys and tokens that are valid again
   * @throws IOException when a file of the backup is damaged, or the directory is not empty
   */
  public static Revived run(
      BackupDirectory backup,
      BackupSet set,
      Path data,
      RandomGenerator random,
      BackupDirectory.Copied copied)
      throws IOException {
    return run(backup, set, data, random, copied, Stores.ROCKS);
  }

  /** Restores {@code set}; the restored catalog goes to {@code stores}. */
  static Revived run(
      BackupDirectory backup,
      BackupSet set,
      Path data,
      RandomGenerator random,
      BackupDirectory.Copied copied,
      Stores stores)
      throws IOException {
    requireEmpty(data);
    if (set.level() > Level.NEWEST) {
      throw new IOException(Level.below("backup " + set.number(), set.level(), Level.NEWEST));
    }
    var unused = DurableFiles.create(data);
    for (int shard = 0; shard < set.shards(); shard++) {
      var unusedLog = PrivateFiles.createDirectories(data.resolve("shard-" + shard).resolve("log"));
    }
    SortedMap<String, String> catalog = null;
    for (StoredFile file : set.files()) {
      if (file.path().equals(BackupSet.CATALOG)) {
        catalog = catalog(backup, file, random);
      } else {
        copy(backup, file, data, copied);
      }
    }
    if (catalog == null) {
      throw new IOException("backup " + set.number() + " has no catalog");
    }
    stores.createCatalog(data.resolve("catalog"), catalog);
    try (Stream<Path> tree = Files.walk(data)) {
      for (Path directory : tree.filter(Files::isDirectory).toList()) {
        DurableFiles.syncNames(directory);
      }
    }
    DirectoryFormat.of(set.shards(), Optional.empty(), set.level()).store(data.resolve("FORMAT"));
    return revived(catalog);
  }

  private static Revived revived(SortedMap<String, String> catalog) {
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    records.replace(catalog);
    return new Revived(
        records.snapshot().keys("", Integer.MAX_VALUE, key -> !key.isRevoked()).stream()
            .map(AccessKey::id)
            .toList(),
        records.snapshot().tokens("", Integer.MAX_VALUE, token -> true).stream()
            .map(HttpToken::id)
            .toList());
  }

  private static void requireEmpty(Path data) throws IOException {
    if (Files.isDirectory(data)) {
      try (Stream<Path> files = Files.list(data)) {
        if (files.findAny().isPresent()) {
          throw new IOException(
              data
                  + " is not empty; name an empty directory, or one that does not exist. A restore"
                  + " that failed or was killed leaves files without a file FORMAT: delete the"
                  + " directory then");
        }
      }
    } else if (Files.exists(data)) {
      throw new IOException(data + " is no directory");
    }
  }

  private static void copy(
      BackupDirectory backup, StoredFile file, Path data, BackupDirectory.Copied copied)
      throws IOException {
    Path target = data.resolve(file.path()).normalize();
    if (!target.startsWith(data.normalize())) {
      throw new IOException(
          "a file of the backup would lie outside of " + data + ": " + file.path());
    }
    var unused = PrivateFiles.createDirectories(target.getParent());
    Path kept = backup.place(file);
    requireLength(kept, file);
    try (InputStream in = Files.newInputStream(kept)) {
      BackupDirectory.Copy copy = BackupDirectory.copy(in, file.bytes(), target, copied);
      if (copy.crc32c() != file.crc32c()) {
        throw new IOException(
            "the file of the backup " + kept + " does not match its checksum" + INSTEAD);
      }
    }
  }

  /** Says of a file that was cut how long the file has to be. */
  private static void requireLength(Path kept, StoredFile file) throws IOException {
    long bytes;
    try {
      bytes = Files.size(kept);
    } catch (NoSuchFileException e) {
      throw new IOException("a file of the backup is missing: " + kept + INSTEAD, e);
    }
    if (bytes != file.bytes()) {
      throw new IOException(
          "the file of the backup %s has %d bytes, and had %d when the backup was taken"
                  .formatted(kept, bytes, file.bytes())
              + INSTEAD);
    }
  }

  private static SortedMap<String, String> catalog(
      BackupDirectory backup, StoredFile file, RandomGenerator random) throws IOException {
    Path kept = backup.place(file);
    requireLength(kept, file);
    byte[] json = Files.readAllBytes(kept);
    if (Checksum.crc32c(json, 0, json.length) != file.crc32c()) {
      throw new IOException(
          "the file of the backup " + kept + " does not match its checksum" + INSTEAD);
    }
    try {
      Map<String, String> texts =
          GSON.fromJson(
              new String(json, StandardCharsets.UTF_8),
              new TypeToken<Map<String, String>>() {}.getType());
      return RestoredCounters.raise(texts, random);
    } catch (ArithmeticException e) {
      throw new IOException(
          "no numbers are left for the tables of a restored server: the catalog of the backup has"
              + " given out nearly all of them",
          e);
    } catch (JsonParseException e) {
      throw new IOException("the catalog of the backup, " + kept + ", is no JSON" + INSTEAD, e);
    }
  }
}
