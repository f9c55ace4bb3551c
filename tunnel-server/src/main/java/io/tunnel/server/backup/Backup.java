package io.tunnel.server.backup;

import com.google.gson.Gson;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.server.log.LogFiles;
import io.tunnel.server.table.TableFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Copies a data directory, also while a server writes to it, so that all parts of the copy fit
 * together. The order of reading makes them fit: see docs/internals/adr/0012.
 */
public final class Backup {

  private static final int ATTEMPTS_MAX = 10;
  private static final Gson GSON = new Gson();

  private final Path data;
  private final BackupDirectory target;
  private final BackupDirectory.Copied copied;
  private final Stores stores;
  private final Map<String, StoredFile> known = new HashMap<>();
  private final Figures figures = new Figures();

  /** Counts of copied and known files. */
  private static final class Figures {
    private long filesCopied;
    private long bytesCopied;
    private long filesKnown;
  }

  /**
   * A backup that was taken.
   *
   * @param filesCopied files that were read
   * @param bytesCopied bytes that were read
   * @param filesKnown files that an earlier backup has
   * @param setsDeleted old backups that were deleted
   * @param found the sets that the directory had before this backup
   */
  public record Outcome(
      BackupSet set,
      long filesCopied,
      long bytesCopied,
      long filesKnown,
      int setsDeleted,
      FoundSets found) {}

  /**
   * Options of a backup.
   *
   * @param keep number of backups of the service that stay; absent for all
   * @param service names the service; absent for the server of the data directory
   */
  public record Options(boolean isFull, Optional<Integer> keep, Optional<String> service) {

    /** A backup of the server of the data directory. */
    public Options(boolean isFull, Optional<Integer> keep) {
      this(isFull, keep, Optional.empty());
    }
  }

  private Backup(Path data, BackupDirectory target, BackupDirectory.Copied copied, Stores stores) {
    this.data = data;
    this.target = target;
    this.copied = copied;
    this.stores = stores;
  }

  /** Takes a backup of the data directory {@code data} at {@code nowMs}. */
  public static Outcome take(
      Path data, BackupDirectory target, Options options, long nowMs, BackupDirectory.Copied copied)
      throws IOException {
    return take(data, target, options, nowMs, copied, Stores.ROCKS);
  }

  /** Takes a backup of a data directory whose catalog and rows are in {@code stores}. */
  static Outcome take(
      Path data,
      BackupDirectory target,
      Options options,
      long nowMs,
      BackupDirectory.Copied copied,
      Stores stores)
      throws IOException {
    return new Backup(data, target, copied, stores).take(options, nowMs);
  }

  private Outcome take(Options options, long nowMs) throws IOException {
    FoundSets found = target.found();
    String service = options.service().isPresent() ? options.service().get() : serverOf(data);
    if (!options.isFull()) {
      found
          .newest(service)
          .ifPresent(last -> last.files().forEach(file -> known.put(file.path(), file)));
    }
    // The number of a damaged set stays taken, so the damaged list is never replaced.
    BackupSet set = read(found.numberMax() + 1, service, nowMs);
    target.commit(set);
    int deleted = options.keep().isPresent() ? target.keep(options.keep().get(), service) : 0;
    return new Outcome(
        set, figures.filesCopied, figures.bytesCopied, figures.filesKnown, deleted, found);
  }

  /**
   * Tells the backups of one server from those of another server in the directory. The first start
   * of a server makes the number, so only a directory that no server has opened has none.
   */
  private String serverOf(Path directory) throws IOException {
    int origin = stores.catalog(directory.resolve("catalog")).origin();
    if (origin == 0) {
      throw new IOException(
          "no server has been started on "
              + directory
              + ", so the catalog has no number that tells its backups from those of other"
              + " servers; start the server once, then take the backup");
    }
    return String.format(Locale.ROOT, "server-%08x", origin);
  }

  private BackupSet read(long number, String service, long nowMs) throws IOException {
    int shards = StoredDirectory.shardsOf(data);
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      StoredCatalog before = stores.catalog(data.resolve("catalog"));
      List<StoredFile> files = new ArrayList<>();
      for (int shard = 0; shard < shards; shard++) {
        files.addAll(shard(shard));
      }
      StoredCatalog after = stores.catalog(data.resolve("catalog"));
      if (tableIds(before).equals(tableIds(after))
          && before.tables().lastPartition() == after.tables().lastPartition()) {
        files.add(catalog(before));
        BackupSet.Counts counts =
            new BackupSet.Counts(
                before.tables().tables().size(), before.tunnels().tunnels(Optional.empty()).size());
        return new BackupSet(
            StoredForm.NUMBER,
            number,
            nowMs,
            shards,
            StoredDirectory.levelOf(data),
            counts,
            service,
            files);
      }
      files.forEach(file -> known.put(file.path(), file));
    }
    throw new IOException(
        "tables were created or dropped during each of "
            + ATTEMPTS_MAX
            + " attempts; take the backup when that has ended");
  }

  private static Set<Integer> tableIds(StoredCatalog catalog) {
    return catalog.tables().tables().stream().map(TableRecord::tableId).collect(Collectors.toSet());
  }

  private StoredFile catalog(StoredCatalog catalog) throws IOException {
    byte[] json = GSON.toJson(catalog.texts()).getBytes(StandardCharsets.UTF_8);
    return target.store(
        new ByteArrayInputStream(json),
        new StoredFile(BackupSet.CATALOG, json.length, 0, 0),
        json.length,
        copied);
  }

  private List<StoredFile> shard(int shard) throws IOException {
    IOException failure = new IOException("the files of shard-" + shard + " change all the time");
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      List<StoredFile> files = new ArrayList<>();
      try {
        addShard("shard-" + shard + "/", files);
        return files;
      } catch (NoSuchFileException e) {
        // Retention or a compaction deleted the file. The next attempt does not copy known files
        // again.
        failure.addSuppressed(e);
        files.forEach(file -> known.put(file.path(), file));
      }
    }
    throw failure;
  }

  private void addShard(String shard, List<StoredFile> files) throws IOException {
    Path log = data.resolve(shard + "log");
    if (!Files.isDirectory(log)) {
      throw new IOException("there is no " + log + "; ./tunnel doctor says more");
    }
    LogFiles before = LogFiles.in(log);
    if (before.trimmed().isPresent()) {
      byte[] trimmed = before.trimmed().get().toByteArray();
      files.add(
          target.store(
              new ByteArrayInputStream(trimmed),
              new StoredFile(shard + "log/" + LogFiles.TRIMMED, trimmed.length, 0, 0),
              trimmed.length,
              copied));
    }
    Set<String> done = addSealed(shard, before.sealed(), files);
    addTable(shard + "table/", files);
    // Read after the table: the log must contain all changes that the rows were folded from.
    LogFiles after = LogFiles.in(log);
    List<String> more = new ArrayList<>(after.sealed());
    more.removeIf(
        name ->
            done.contains(name)
                || (before.last().isPresent() && name.compareTo(before.last().get()) < 0));
    var unused = addSealed(shard, more, files);
    if (after.last().isPresent()) {
      // Writes only append to the segment, so it is the same as before while no writer writes.
      String name = after.last().get();
      files.add(unchanged(shard + "log/" + name, LogFiles.intactBytes(log.resolve(name))));
    }
    requireWhole(shard + "log/", before, files);
  }

  /** Retention may have deleted segments that were created while the rows were copied. */
  private static void requireWhole(String log, LogFiles begun, List<StoredFile> files)
      throws IOException {
    SortedMap<String, Long> segments = new TreeMap<>();
    for (StoredFile file : files) {
      if (file.path().startsWith(log) && LogFiles.isSegment(file.path().substring(log.length()))) {
        segments.put(file.path().substring(log.length()), file.bytes());
      }
    }
    if (!begun.areWhole(segments)) {
      throw new NoSuchFileException(log, null, "a segment was trimmed before it was copied");
    }
  }

  private Set<String> addSealed(String shard, List<String> names, List<StoredFile> files)
      throws IOException {
    for (String name : names) {
      files.add(unchanging(shard + "log/" + name));
      String index = shard + "log/" + LogFiles.indexOf(name);
      if (Files.exists(data.resolve(index))) {
        files.add(unchanging(index));
      }
    }
    return Set.copyOf(names);
  }

  private void addTable(String table, List<StoredFile> files) throws IOException {
    Optional<TableFiles> live = stores.table(data.resolve(table));
    if (live.isEmpty()) {
      return;
    }
    for (String name : live.get().tables()) {
      files.add(unchanging(table + name));
    }
    String manifest = table + live.get().manifest();
    long bytes = live.get().manifestBytes();
    files.add(
        target.store(
            data.resolve(manifest), new StoredFile(manifest, bytes, 0, 0), bytes, counted()));
    byte[] current = (live.get().manifest() + "\n").getBytes(StandardCharsets.UTF_8);
    files.add(
        target.store(
            new ByteArrayInputStream(current),
            new StoredFile(table + TableFiles.current(), current.length, 0, 0),
            current.length,
            copied));
  }

  /** A complete file that never changes. */
  private StoredFile unchanging(String path) throws IOException {
    return unchanged(path, Files.size(data.resolve(path)));
  }

  /** The first {@code bytes} of a file; copied unless an earlier backup has them. */
  private StoredFile unchanged(String path, long bytes) throws IOException {
    Path source = data.resolve(path);
    long modifiedMs = Files.getLastModifiedTime(source).toMillis();
    StoredFile earlier = known.get(path);
    if (earlier != null
        && earlier.bytes() == bytes
        && earlier.modifiedMs() == modifiedMs
        && target.has(earlier)) {
      figures.filesKnown++;
      return earlier;
    }
    figures.filesCopied++;
    return target.store(source, new StoredFile(path, bytes, 0, modifiedMs), bytes, counted());
  }

  private BackupDirectory.Copied counted() {
    return count -> {
      figures.bytesCopied += count;
      copied.bytes(count);
    };
  }
}
