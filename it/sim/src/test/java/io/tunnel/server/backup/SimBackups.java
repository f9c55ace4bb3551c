package io.tunnel.server.backup;

import io.tunnel.model.Level;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.partition.read.SimRows;
import io.tunnel.server.table.TableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Backups of a simulated machine, taken and restored by the code that ships. The code copies files,
 * so the logs of the machine are mirrored in a real directory whenever the world has gone on. Rows
 * are one file with a number, under which the stored rows are known here.
 */
public final class SimBackups implements AutoCloseable {

  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String MANIFEST = "MANIFEST-1";

  private final Machine machine;
  private final Path root;
  private final Path data;
  private final BackupDirectory target;
  private final Map<Path, byte[]> mirrored = new HashMap<>();
  private final List<SimRows> storedRows = new ArrayList<>();
  private long modified;
  private int restores;

  /** The machine, as its disks are now. */
  public interface Machine {
    List<SimDisk> disks();

    List<SimRows> rows();

    CatalogStore catalog();

    /**
     * Lets the world go on for a while.
     *
     * @throws IOException when the machine has lost its power, and with it the process of the
     *     backup
     */
    void goOn() throws IOException;
  }

  /** What a restore made: disks, stored rows of each shard, and the texts of the catalog. */
  public record Restored(
      List<SimDisk> disks, List<SimRows> rows, Map<String, String> catalog, Restore.Revived keys) {
    /** Copies. */
    public Restored {
      disks = List.copyOf(disks);
      rows = List.copyOf(rows);
      catalog = Map.copyOf(catalog);
    }
  }

  /** No backup was taken yet. */
  public SimBackups(Machine machine) throws IOException {
    this.machine = machine;
    root =
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, "sim-backup")
            : Files.createTempDirectory("sim-backup");
    data = Files.createDirectory(root.resolve("data"));
    target = BackupDirectory.create(root.resolve("backup"));
  }

  /** Takes a backup while the world goes on; returns its number. */
  public long take(boolean isFull, long nowMs) throws IOException {
    DirectoryFormat.of(machine.disks().size(), Optional.empty(), Level.NEWEST)
        .store(data.resolve("FORMAT"));
    try {
      mirror();
      return Backup.take(
              data,
              target,
              new Backup.Options(isFull, Optional.empty(), Optional.of("server-sim")),
              nowMs,
              count -> goOn(),
              new Live())
          .set()
          .number();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void goOn() {
    try {
      machine.goOn();
      mirror();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Restores a backup; {@code random} is another one for each restore. */
  public Restored restore(long number, RandomGenerator random) throws IOException {
    Path restored = root.resolve("restored-" + ++restores);
    Live stores = new Live();
    Restore.Revived keys =
        Restore.run(target, target.set(Optional.of(number)), restored, random, count -> {}, stores);
    List<SimDisk> disks = new ArrayList<>();
    List<SimRows> rows = new ArrayList<>();
    for (int shard = 0;
        shard < DirectoryFormat.read(restored.resolve("FORMAT")).shards();
        shard++) {
      SimDisk disk = new SimDisk(() -> {});
      for (Path file : files(restored.resolve("shard-" + shard).resolve("log"))) {
        disk.replace(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
      }
      disks.add(disk);
      rows.add(SimRows.of(rows(restored.resolve("shard-" + shard).resolve("table"))));
    }
    return new Restored(disks, rows, stores.created, keys);
  }

  private Optional<SimRows> rows(Path table) throws IOException {
    for (Path file : Files.isDirectory(table) ? files(table) : List.<Path>of()) {
      if (file.toString().endsWith(".sst")) {
        return Optional.of(storedRows.get(Integer.parseInt(Files.readString(file))));
      }
    }
    return Optional.empty();
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  /** Brings the real files to what the disks of the machine hold. */
  private void mirror() throws IOException {
    Map<Path, byte[]> now = new TreeMap<>();
    for (int shard = 0; shard < machine.disks().size(); shard++) {
      Path directory = data.resolve("shard-" + shard);
      Files.createDirectories(directory.resolve("log"));
      Files.createDirectories(directory.resolve("table"));
      SimDisk disk = machine.disks().get(shard);
      for (String name : disk.list()) {
        ByteBuffer content = disk.readOnly(name);
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        now.put(directory.resolve("log").resolve(name), bytes);
      }
      Optional<Integer> rows = machine.rows().get(shard).stored().map(this::numberOf);
      if (rows.isPresent()) {
        byte[] text = (rows.get() + "").getBytes(StandardCharsets.UTF_8);
        now.put(directory.resolve("table").resolve(nameOf(rows.get())), text);
        now.put(directory.resolve("table").resolve(MANIFEST), text);
      }
    }
    for (Path gone : mirrored.keySet().stream().filter(each -> !now.containsKey(each)).toList()) {
      Files.delete(gone);
      mirrored.remove(gone);
    }
    for (Map.Entry<Path, byte[]> file : now.entrySet()) {
      if (!Arrays.equals(file.getValue(), mirrored.get(file.getKey()))) {
        write(file.getKey(), file.getValue());
        mirrored.put(file.getKey(), file.getValue());
      }
    }
  }

  private void write(Path file, byte[] bytes) throws IOException {
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        out.write(left);
      }
      out.truncate(bytes.length);
    }
    Files.setLastModifiedTime(file, FileTime.fromMillis(++modified));
  }

  private int numberOf(SimRows rows) {
    for (int i = 0; i < storedRows.size(); i++) {
      if (storedRows.get(i) == rows) {
        return i;
      }
    }
    storedRows.add(rows);
    return storedRows.size() - 1;
  }

  private static String nameOf(int rows) {
    return rows + ".sst";
  }

  /** The catalog and the rows of the machine. */
  private final class Live implements Stores {
    private Map<String, String> created = Map.of();

    @Override
    public StoredCatalog catalog(Path directory) throws IOException {
      goOn();
      return StoredCatalog.of(new TreeMap<>(machine.catalog().all()));
    }

    @Override
    public void createCatalog(Path directory, Map<String, String> texts) {
      created = new TreeMap<>(texts);
    }

    @Override
    public Optional<TableFiles> table(Path directory) {
      goOn();
      String shard = directory.getParent().getFileName().toString();
      return machine
          .rows()
          .get(Integer.parseInt(shard.substring("shard-".length())))
          .stored()
          .map(this::filesOf);
    }

    private TableFiles filesOf(SimRows stored) {
      int rows = numberOf(stored);
      return new TableFiles(List.of(nameOf(rows)), MANIFEST, (rows + "").length());
    }
  }

  @Override
  public void close() throws IOException {
    target.close();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
