package io.tunnel.server.partition.judge;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashMap;
import java.util.Map;

/**
 * The places for the bound rows of a shard, and those that each owner of sessions has. The owners
 * share the places by {@link FreeShare}; clients without names, whose owner is the empty text, have
 * all places together.
 *
 * <p>Rows of batches that are not in the log yet are reserved: they count as taken until {@link
 * #unreserve}. So batches do not pass a limit together that each of them keeps.
 *
 * <p>Invariant: {@link #taken} is the sum of {@link #byOwner}.
 */
final class BoundPlaces {

  private final int rowsMax;
  private final long keyBytesMax;
  private Places taken = Places.NONE;

  /** What each owner of rows has. */
  private final Map<String, Places> byOwner = new HashMap<>();

  private Places reserved = Places.NONE;

  /** At least the reserved rows that are new to an owner, by owner. */
  private final Map<String, Places> reservedByOwner = new HashMap<>();

  /** Rows, and the bytes of their keys. */
  record Places(int rows, long keyBytes) {

    static final Places NONE = new Places(0, 0);

    Places plus(Places more) {
      return new Places(rows + more.rows, keyBytes + more.keyBytes);
    }

    Places minus(Places less) {
      return new Places(rows - less.rows, keyBytes - less.keyBytes);
    }

    Places plusRow(int bytes) {
      return new Places(rows + 1, keyBytes + bytes);
    }

    Places minusRow(int bytes) {
      return new Places(rows - 1, keyBytes - bytes);
    }

    @Override
    public String toString() {
      return rows + " bound rows with " + keyBytes + " bytes of keys";
    }
  }

  BoundPlaces(int rowsMax, long keyBytesMax) {
    this.rowsMax = rowsMax;
    this.keyBytesMax = keyBytesMax;
  }

  /** What an owner has. */
  Places of(String owner) {
    return byOwner.getOrDefault(owner, Places.NONE);
  }

  /** A row is bound, whether or not there is a place. */
  void take(String owner, int keyBytes) {
    taken = taken.plusRow(keyBytes);
    byOwner.put(owner, of(owner).plusRow(keyBytes));
  }

  /** A row of this owner is bound no more. */
  void leave(String owner, int keyBytes) {
    taken = taken.minusRow(keyBytes);
    Places left = of(owner).minusRow(keyBytes);
    if (left.rows() == 0) {
      byOwner.remove(owner);
    } else {
      byOwner.put(owner, left);
    }
  }

  /** Counts rows that the log will get, as {@link #require} has them. */
  void reserve(String owner, Places toOwner, Places toAll) {
    reserved = reserved.plus(toAll);
    reservedByOwner.merge(owner, toOwner, Places::plus);
  }

  /** What {@link #reserve} counted is taken, or is not written. */
  void unreserve(String owner, Places toOwner, Places toAll) {
    reserved = reserved.minus(toAll);
    reservedByOwner.compute(
        owner,
        (name, all) -> {
          Places left = (all == null ? Places.NONE : all).minus(toOwner);
          return left.equals(Places.NONE) ? null : left;
        });
  }

  /**
   * Refuses rows for which there are no places.
   *
   * @param toOwner the rows that the owner does not have, others' rows among them, which leave
   *     their places to it
   * @param toAll the rows that no session has
   * @throws RefusedException LIMIT_REACHED
   */
  void require(String owner, Places toOwner, Places toAll) {
    Places all = taken.plus(reserved);
    if (toAll.rows() > 0
        && (all.rows() + toAll.rows() > rowsMax
            || all.keyBytes() + toAll.keyBytes() > keyBytesMax)) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "the server has "
              + all
              + " where this one would be stored, and takes at most "
              + new Places(rowsMax, keyBytesMax)
              + " there");
    }
    Places own = of(owner).plus(reservedByOwner.getOrDefault(owner, Places.NONE));
    if (!owner.isEmpty() && toOwner.rows() > 0 && !isShared(own, toOwner, toAll, all)) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "principal '"
              + owner
              + "' has "
              + own
              + " where this one would be stored, and would bind "
              + toOwner.rows()
              + " more with "
              + toOwner.keyBytes()
              + " bytes; the server has "
              + all
              + " there and takes at most "
              + new Places(rowsMax, keyBytesMax)
              + ", and a principal with bound rows gets further ones up to 1/"
              + FreeShare.PARTS
              + " of the free places only: the others are kept for other principals. Delete rows,"
              + " or close sessions");
    }
  }

  /** Whether the owner gets the rows; the places of others' rows that it gets are free to it. */
  private boolean isShared(Places own, Places toOwner, Places toAll, Places all) {
    int movedRows = toOwner.rows() - toAll.rows();
    long movedBytes = toOwner.keyBytes() - toAll.keyBytes();
    return FreeShare.allows(own.rows(), toOwner.rows(), all.rows() - movedRows, rowsMax)
        && FreeShare.allows(
            own.keyBytes(), toOwner.keyBytes(), all.keyBytes() - movedBytes, keyBytesMax);
  }
}
