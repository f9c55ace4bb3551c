package io.tunnel.codec;

import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What an UPDATE adds to columns: for each of these its place among the columns of the row, from 0,
 * as a varint, and the number that is added, 8 bytes. The places rise.
 *
 * <p>The same bytes stand in a WRITE ({@link FormatFeature#INCREMENT}) and in the log ({@link
 * FormatFeature#DELTA}). In a WRITE each column is an INTEGER 0, where the server puts the result:
 * in the log the columns of the row are those of a plain UPDATE, so no reader adds again.
 */
public final class Increments {

  private final int[] places;
  private final long[] deltas;

  private Increments(int[] places, long[] deltas) {
    this.places = places;
    this.deltas = deltas;
  }

  /** Collects the increments of a row in the order of its columns. */
  private static final class Builder {
    private int[] places = new int[4];
    private long[] deltas = new long[4];
    private int count;

    /** The column at {@code place}, after that of the last call, is added to. */
    void add(int place, long delta) {
      if (count == places.length) {
        places = Arrays.copyOf(places, 2 * count);
        deltas = Arrays.copyOf(deltas, 2 * count);
      }
      places[count] = place;
      deltas[count++] = delta;
    }

    /** The increments so far; empty without any. */
    Optional<Increments> build() {
      return count == 0
          ? Optional.empty()
          : Optional.of(new Increments(Arrays.copyOf(places, count), Arrays.copyOf(deltas, count)));
    }
  }

  /** What an update adds to its columns; empty when it adds nothing. */
  public static Optional<Increments> of(RowUpdateChange change) {
    Builder increments = null;
    List<ColumnUpdate> updates = change.updates();
    for (int place = 0; place < updates.size(); place++) {
      if (updates.get(place) instanceof ColumnUpdate.Increment increment) {
        increments = increments == null ? new Builder() : increments;
        increments.add(place, increment.delta());
      }
    }
    return increments == null ? Optional.empty() : increments.build();
  }

  /**
   * Reads the bytes of an attribute.
   *
   * @throws MalformedException when they name no column, end inside of a number, or do not rise
   */
  public static Increments decode(Bytes attribute) {
    byte[] array = attribute.toByteArray();
    Builder read = new Builder();
    int before = -1;
    for (int at = 0; at < array.length; ) {
      long varint = Binary.getVarint(array, at, array.length);
      int place = Binary.value(varint);
      at = Binary.next(varint);
      if (place <= before) {
        throw new MalformedException(
            "an increment of column " + place + " after one of column " + before);
      }
      if (array.length - at < Long.BYTES) {
        throw new MalformedException("the increment of column " + place + " is cut off");
      }
      read.add(place, Binary.getLong(array, at));
      at += Long.BYTES;
      before = place;
    }
    return read.build().orElseThrow(() -> new MalformedException("increments of no column"));
  }

  /** The bytes of an attribute. */
  public Bytes encode() {
    ByteSink sink = new ByteSink(places.length * (Long.BYTES + 1));
    for (int i = 0; i < places.length; i++) {
      sink.writeVarint(places[i]);
      sink.writeLong(deltas[i]);
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** The attributes of a row in a log that has these increments and says nothing else. */
  public Bytes toLog() {
    return Attributes.with(FormatFeature.DELTA.number(), encode(), Bytes.EMPTY);
  }

  /** How many columns are added to. */
  public int size() {
    return places.length;
  }

  /** The place of a column among those of its row. */
  public int place(int index) {
    return places[index];
  }

  /** What is added to this column. */
  public long delta(int index) {
    return deltas[index];
  }

  /** What is added to the column at a place of the row; empty when nothing is. */
  public Optional<Long> at(int place) {
    int index = Arrays.binarySearch(places, place);
    return index < 0 ? Optional.empty() : Optional.of(deltas[index]);
  }
}
