package io.tunnel.codec;

import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * A list of attributes: for each a number and a length as varints, then its bytes. The numbers
 * rise, so a list has one form. An odd number must be understood, an even one may be skipped; see
 * {@link FormatFeature}.
 *
 * <p>After a batch or a row the list is followed by its length, four bytes, so that nothing in
 * front of it moves.
 */
public final class Attributes {

  /** Bytes of the length after a list. */
  public static final int LENGTH_BYTES = 4;

  private Attributes() {}

  /** Which numbers a reader refuses. */
  private enum Refusal {
    /** A reader skips what it may. */
    MUST_UNDERSTAND,
    /** The server must know each attribute that enters the log. */
    ANY
  }

  /** An attribute of a list: its number, and where its bytes are. */
  private record Entry(int number, int from, int length) {

    static Entry at(byte[] array, int at, int end) {
      long number = Binary.getVarint(array, at, end);
      long length = Binary.getVarint(array, Binary.next(number), end);
      return new Entry(Binary.value(number), Binary.next(length), Binary.value(length));
    }

    /** Where the next attribute of a checked list begins. */
    int next() {
      return from + length;
    }
  }

  /**
   * Checks a list as a reader does, which skips an unknown attribute that may be skipped.
   *
   * @throws MalformedException when the bytes are no list
   * @throws NewerFormatException for an unknown attribute that must be understood
   */
  public static void requireUnderstood(Place place, byte[] array, int offset, int end) {
    var unused = require(place, array, offset, end, Refusal.MUST_UNDERSTAND);
  }

  /**
   * Checks a list that is to be stored: each attribute is known.
   *
   * @return the feature of the highest level that the list uses, for the level to be checked
   * @throws MalformedException when the bytes are no list
   * @throws NewerFormatException for an unknown attribute
   */
  public static Optional<FormatFeature> requireKnown(
      Place place, byte[] array, int offset, int end) {
    return require(place, array, offset, end, Refusal.ANY);
  }

  private static Optional<FormatFeature> require(
      Place place, byte[] array, int offset, int end, Refusal refusal) {
    Optional<FormatFeature> newest = Optional.empty();
    int before = 0;
    for (int at = offset; at < end; ) {
      Entry entry = Entry.at(array, at, end);
      int now = entry.number();
      if (now <= before) {
        throw new MalformedException(
            "attribute " + now + " of " + place.label() + " after attribute " + before);
      }
      if (entry.length() > end - entry.from()) {
        throw new MalformedException("attribute " + now + " of " + place.label() + " is cut off");
      }
      Optional<FormatFeature> feature = FormatFeature.of(place, now);
      boolean isKnown = feature.filter(FormatFeature::isKnown).isPresent();
      if (!isKnown && (refusal == Refusal.ANY || FormatFeature.mustBeUnderstood(now))) {
        throw new NewerFormatException(FormatFeature.describe(place, now), feature);
      }
      newest = FormatFeature.newest(newest, feature);
      before = now;
      at = entry.next();
    }
    return newest;
  }

  /** The bytes of an attribute of a list that was checked. */
  public static Optional<Bytes> find(int wanted, byte[] array, int offset, int end) {
    for (int at = offset; at < end; ) {
      Entry entry = Entry.at(array, at, end);
      if (entry.number() == wanted) {
        return Optional.of(Bytes.copyOf(array, entry.from(), entry.length()));
      }
      at = entry.next();
    }
    return Optional.empty();
  }

  /** Leaves one attribute out of a checked list. */
  public static Bytes without(int unwanted, Bytes list) {
    byte[] array = list.toByteArray();
    ByteSink rest = new ByteSink(array.length);
    for (int at = 0; at < array.length; ) {
      Entry entry = Entry.at(array, at, array.length);
      if (entry.number() != unwanted) {
        rest.write(array, at, entry.next() - at);
      }
      at = entry.next();
    }
    return Bytes.copyOf(rest.array(), 0, rest.size());
  }

  /** Adds an attribute to a checked list, which does not have it, in the order of the numbers. */
  public static Bytes with(int added, Bytes value, Bytes list) {
    byte[] array = list.toByteArray();
    ByteSink all = new ByteSink(array.length + value.length() + 8);
    int at = 0;
    while (at < array.length && Entry.at(array, at, array.length).number() < added) {
      at = Entry.at(array, at, array.length).next();
    }
    all.write(array, 0, at);
    write(all, added, value);
    all.write(array, at, array.length - at);
    return Bytes.copyOf(all.array(), 0, all.size());
  }

  /** Adds {@link FormatFeature#ATOMIC} to the checked list of a batch. */
  public static Bytes atomic(Bytes list) {
    return with(FormatFeature.ATOMIC.number(), Bytes.EMPTY, list);
  }

  /** Writes an attribute; numbers must rise. */
  public static void write(ByteSink sink, int number, Bytes value) {
    sink.writeVarint(number);
    sink.writeVarint(value.length());
    sink.write(value);
  }

  /** Writes a list and its length after it. */
  public static void writeBehind(ByteSink sink, Bytes list) {
    sink.write(list);
    sink.writeInt(list.length());
  }

  /**
   * Where the list begins whose length ends at {@code end}.
   *
   * @throws MalformedException when the list would begin before {@code offset}, or is empty
   */
  static int begin(Place place, byte[] array, int offset, int end) {
    int room = end - offset - LENGTH_BYTES;
    int length = room < 0 ? 0 : Binary.getInt(array, end - LENGTH_BYTES);
    if (length <= 0 || length > room) {
      throw new MalformedException(
          "attributes of "
              + place.label()
              + " of "
              + Integer.toUnsignedString(length)
              + " bytes where 1 to "
              + Math.max(0, room)
              + " are possible");
    }
    return end - LENGTH_BYTES - length;
  }
}
