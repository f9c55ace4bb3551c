package io.tunnel.condition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.condition.ColumnOf;
import java.util.Arrays;

/**
 * Which names of a dictionary a condition names: made for one {@link Judge}, and read again for
 * each dictionary, without objects as long as no dictionary has more names than those before.
 */
public final class NamedCells {

  private final Cells cells;
  private final ColumnOf of;

  /** Per name of the dictionary: its cell, or -1. */
  private int[] cellByName = new int[16];

  private int nameCount;
  private int count;

  NamedCells(Cells cells, ColumnOf of) {
    this.cells = cells;
    this.of = of;
  }

  /** Reads the dictionary of a batch. */
  public void read(ChangeBatch batch) {
    int offset = batch.dictionaryOffset();
    read(batch.array(), offset, offset + batch.dictionaryBytes(), batch.nameCount());
  }

  /**
   * Reads {@code names} encoded names between {@code offset} and {@code limit}.
   *
   * @throws MalformedException when they run over the limit
   */
  public void read(byte[] array, int offset, int limit, int names) {
    if (names > cellByName.length) {
      cellByName = Arrays.copyOf(cellByName, Math.max(names, 2 * cellByName.length));
    }
    nameCount = names;
    count = 0;
    int at = offset;
    for (int i = 0; i < names; i++) {
      long length = Binary.getVarint(array, at, limit);
      at = Binary.next(length);
      int bytes = Binary.value(length);
      if (bytes > limit - at) {
        throw new MalformedException("a column name of " + bytes + " bytes runs over the end");
      }
      cellByName[i] = cells.cellOf(of, array, at, bytes);
      count += cellByName[i] >= 0 ? 1 : 0;
      at += bytes;
    }
  }

  int cell(int nameIndex) {
    if (nameIndex >= nameCount) {
      throw new MalformedException("column name " + nameIndex + " of " + nameCount);
    }
    return cellByName[nameIndex];
  }

  /** How many names of the dictionary the condition names. */
  int count() {
    return count;
  }
}
