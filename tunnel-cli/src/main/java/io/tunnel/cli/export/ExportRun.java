package io.tunnel.cli.export;

import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.StopSignal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reads a table into the files of its parts, and stores once a second how far the parts are
 * durable.
 *
 * <p>Memory: each thread has one page of rows (1 MiB, or one row), one row as JSON, and a buffer.
 */
final class ExportRun {

  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TableClient client;
  private final ExportDirectory directory;
  private final RowSelection selection;
  private final ReadMode mode;
  private final Screening screening;
  private final PartThreads threads = new PartThreads();

  /** What is durable of each part. Guarded by itself. */
  private final List<Part> parts;

  private final ExportFile begun;

  /** Of the thread that saves. */
  private ExportFile saved;

  private long savedNanos;

  /**
   * What people see meanwhile.
   *
   * @param remark prints a line
   */
  record Screening(ProgressBar bar, Consumer<String> remark, LongSupplier nanoClock) {}

  /** What is read of each row, and how sure a read is to see acknowledged writes. */
  record Reading(RowSelection selection, ReadMode mode) {}

  ExportRun(
      TableClient client,
      ExportDirectory directory,
      ExportFile begun,
      Reading reading,
      Screening screening) {
    this.client = client;
    this.directory = directory;
    this.selection = reading.selection();
    this.mode = reading.mode();
    this.screening = screening;
    this.begun = begun;
    this.parts = new ArrayList<>(begun.parts());
  }

  /**
   * Exports the rows that are missing.
   *
   * @return what is durable; not complete if {@code signal} was asked
   */
  ExportFile run(int threadCount, StopSignal signal) throws Exception {
    savedNanos = screening.nanoClock().getAsLong();
    saved = begun;
    directory.save(begun);
    try {
      threads.run(begun.parts().size(), threadCount, signal, this::export, this::saveIfDue);
    } catch (Exception | Error e) {
      try {
        save();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    ExportFile last = now();
    if (last.isComplete()) {
      directory.finish(last);
    } else {
      save();
    }
    return last;
  }

  private void export(int number) throws IOException {
    Part known = part(number);
    if (known.isComplete()) {
      return;
    }
    Optional<PartFile> opened = PartFile.open(directory.part(number), known);
    if (opened.isEmpty()) {
      screening
          .remark()
          .accept(
              directory.part(number).getFileName()
                  + " is damaged: its rows are exported again from the first");
      store(number, Part.NONE);
      opened = PartFile.open(directory.part(number), Part.NONE);
    }
    try (PartFile file = opened.orElseThrow()) {
      boolean hasAll;
      try {
        hasAll = read(number, file);
      } catch (IOException | RuntimeException | Error e) {
        try {
          store(number, file.sync()); // The rows before the failure are not read again.
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
        throw e;
      }
      Part has = file.sync();
      store(number, hasAll ? has.complete() : has);
    }
  }

  /** Returns whether the file has all rows of the part; it has not when the run was stopped. */
  private boolean read(int number, PartFile file) throws IOException {
    Optional<PrimaryKey> last = part(number).last();
    for (Row row :
        client
            .getRange(begun.source().table().name(), now().rowsLeft(number).withMode(mode))
            .select(selection)) {
      if (threads.isStopped()) {
        return false;
      }
      if (last.isPresent() && last.get().equals(row.primaryKey())) {
        continue;
      }
      file.add(row);
      screening.bar().add(1);
      if (file.isSyncDue()) {
        store(number, file.sync());
      }
    }
    requireTable();
    return !threads.isStopped();
  }

  /**
   * Refuses a table that was dropped and created again meanwhile. Looked at behind the last row of
   * each part, so that all rows of a complete part are rows of the one table.
   */
  private void requireTable() {
    String name = begun.source().table().name();
    if (!begun.source().isTable(client.partitionMap(name))) {
      throw CommandFailure.failed(
          "table '"
              + name
              + "' was dropped and created again since the export began: export the new table to"
              + " another directory");
    }
  }

  private Part part(int number) {
    synchronized (parts) {
      return parts.get(number);
    }
  }

  private void store(int number, Part part) {
    synchronized (parts) {
      parts.set(number, part);
    }
  }

  private ExportFile now() {
    synchronized (parts) {
      return begun.withParts(parts);
    }
  }

  private void saveIfDue() throws IOException {
    screening.bar().add(0); // Draws also while no row comes.
    if (screening.nanoClock().getAsLong() - savedNanos >= SAVE_NANOS) {
      save();
    }
  }

  private void save() throws IOException {
    savedNanos = screening.nanoClock().getAsLong();
    ExportFile now = now();
    if (!now.equals(saved)) {
      directory.save(now);
      saved = now;
    }
  }
}
