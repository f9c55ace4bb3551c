package io.tunnel.server.table;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The folds of a store that are open, and how far they are. For one thread at a time. */
@SuppressWarnings("try") // A use of the gate is only ended.
final class StoreFolds {

  private final FoldCore folder;
  private final OpenGate gate;
  private final Writer writer;

  /** A write of a fold that is not known to be in the store. */
  private Optional<byte[]> made = Optional.empty();

  private volatile long offset;
  private volatile long rows;

  /** Writes to a store. */
  @FunctionalInterface
  interface Writer {
    void write(byte[] writeBatch) throws IOException;
  }

  /** The store behind {@code writer} has all changes of the log before {@code offset}. */
  StoreFolds(FoldCore folder, OpenGate gate, Writer writer, long offset) {
    this.folder = folder;
    this.gate = gate;
    this.writer = writer;
    this.offset = offset;
  }

  /** Log offset up to which everything is folded. Any thread. */
  long offset() {
    return offset;
  }

  /** Rows that were folded. Any thread. */
  long rows() {
    return rows;
  }

  /** See {@link TableStore#fold(List, long, BesideRows)}. */
  void fold(List<ChangeBatch> batches, long end, BesideRows beside) throws IOException {
    TableFold.Offsets offsets = new TableFold.Offsets(offset, end, end);
    TableFold fold = begin(batches, beside);
    boolean isWhole = false;
    while (!isWhole) {
      isWhole = fold.run(offsets, () -> true);
    }
  }

  /** See {@link TableStore#begin}. */
  TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    long rowCount = batches.stream().mapToLong(ChangeBatch::rowCount).sum();
    return new OpenFold(folder.begin(batches, beside), rowCount);
  }

  private final class OpenFold implements TableFold {
    private final FoldCore.Fold fold;
    private final long rowCount;
    private boolean hasFailed;

    OpenFold(FoldCore.Fold fold, long rowCount) {
      this.fold = fold;
      this.rowCount = rowCount;
    }

    /** The very bytes of a write that failed are kept: names in them were given a number. */
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread at a time folds.
    public boolean run(Offsets offsets, BooleanSupplier mayGoOn) throws IOException {
      if (made.isPresent() && !hasFailed) {
        throw new IllegalStateException(
            "a fold continues before the failed fold of an earlier part");
      }
      try (OpenGate.Use unused = gate.enter()) {
        hasFailed = true;
        made = made.or(() -> Optional.of(fold.next(offsets, mayGoOn)));
        writer.write(made.get());
        made = Optional.empty();
        hasFailed = false;
      } catch (IOException e) {
        throw TableStore.failed("cannot fold into the table: " + e.getMessage(), e);
      }
      if (fold.isEnded()) {
        rows += rowCount;
        offset = offsets.after();
      }
      return fold.isEnded();
    }
  }
}
