package io.tunnel.server.net;

import io.tunnel.model.Limits;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.wire.Operation;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The bytes of answers and deliveries that clients have not taken, of all connections. When they
 * are too many, the connection is closed that has taken nothing for longest; how long is counted in
 * bytes that the others have taken since. For any thread.
 *
 * <p>What one connection has not taken is bounded too. An answer that may be large is promised its
 * room before it is made, at its largest, and what it does not need is given back when it is known:
 * so nothing is read for a connection that could not hold it.
 */
final class Untaken {

  /** The largest batch, and the key behind it. */
  private static final int ROWS_BYTES_MAX = Limits.BATCH_BYTES_MAX + 64 * 1024;

  private static final int LEFT_FOR_ROWS = 7 * 1024 * 1024;

  private final long bytesMax;
  private final long ofConnectionMax;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong takenBytes = new AtomicLong();
  private final Set<Account> accounts = ConcurrentHashMap.newKeySet();

  /**
   * Nothing is untaken.
   *
   * @param bytesMax of all connections
   * @param ofConnectionMax that one connection is promised or has not taken. A further promise is
   *     not made, and one that has more untaken, of answers that are not promised, is closed
   */
  Untaken(long bytesMax, long ofConnectionMax) {
    this.bytesMax = bytesMax;
    this.ofConnectionMax = ofConnectionMax;
  }

  /**
   * What a connection is sent that may be large. In all that a connection may have in memory, each
   * leaves room for those before it, so that deliveries do not wait for reads, nor either for
   * descriptions.
   */
  enum Answer {
    /** Changes of a channel, read and sent at once by the event loop. */
    DELIVERY(Limits.FRAME_BYTES_MAX, 0),
    /** A row, or a page of a range. */
    ROWS(ROWS_BYTES_MAX, Limits.FRAME_BYTES_MAX),
    /** A page of base data. */
    BASE_PAGE(ROWS_BYTES_MAX, Limits.FRAME_BYTES_MAX + LEFT_FOR_ROWS),
    /** What tables, tunnels, nodes and rights are. */
    DESCRIPTION(Limits.FRAME_BYTES_MAX, Limits.FRAME_BYTES_MAX + LEFT_FOR_ROWS);

    /**
     * Reads of rows are promised their room later, when it is their turn. All else has a small
     * answer, or changes something before it has one, and must not be waited for.
     */
    private static final Set<Operation> DESCRIBING =
        EnumSet.of(
            Operation.PARTITION_MAP,
            Operation.LIST_TABLES,
            Operation.DESCRIBE_TABLE,
            Operation.DESCRIBE_TUNNEL,
            Operation.LIST_TUNNELS,
            Operation.EXPORT_CHECKPOINTS,
            Operation.DESCRIBE_CLUSTER,
            Operation.DESCRIBE_NODE,
            Operation.LIST_KEYS,
            Operation.LIST_PERMISSIONS,
            Operation.LIST_GROUPS,
            Operation.LIST_TOKENS,
            Operation.LIST_QUOTAS);

    private final int bytesMax;
    private final int leftBytes;

    Answer(int bytesMax, int leftBytes) {
      this.bytesMax = bytesMax;
      this.leftBytes = leftBytes;
    }

    /** What it takes at most. */
    int bytesMax() {
      return bytesMax;
    }

    /** What has to stay for others when it is promised. */
    int leftBytes() {
      return leftBytes;
    }

    /** What a request is answered with, if that is promised when the request is begun. */
    static Optional<Answer> of(Operation operation) {
      return operation != null && DESCRIBING.contains(operation)
          ? Optional.of(DESCRIPTION)
          : Optional.empty();
    }
  }

  /**
   * A connection begins.
   *
   * @param close ends it, called by any thread
   * @param wake says that what was not promised may be by now, called by any thread
   */
  Account open(Consumer<Farewell> close, Runnable wake) {
    Account account = new Account(close, wake);
    accounts.add(account);
    return account;
  }

  /** How much is not taken. */
  long bytes() {
    return bytes.get();
  }

  private void relieve() {
    while (bytes.get() > bytesMax) {
      Optional<Account> laziest =
          accounts.stream()
              .filter(Account::owes)
              .min(Comparator.comparingLong(account -> account.mark));
      if (laziest.isEmpty()) {
        return;
      }
      laziest.get().end(Farewell.ANSWERS_UNTAKEN);
    }
  }

  /**
   * What one connection has not taken. Its monitor guards its fields, but {@code mark}; nothing is
   * called under it.
   */
  final class Account {
    private final Consumer<Farewell> close;
    private final Runnable wake;

    /** At most {@code ofConnectionMax}, or the connection is being closed. */
    private long untaken;

    /** Of answers that are being made; with {@code untaken} at most {@code ofConnectionMax}. */
    private long promised;

    /** The least that was wanted and not promised since it was woken last; 0 when nothing was. */
    private long wanted;

    private boolean isClosed;

    /** What all had taken when this connection took something last, or owed nothing. */
    private volatile long mark = takenBytes.get();

    private Account(Consumer<Farewell> close, Runnable wake) {
      this.close = close;
      this.wake = wake;
    }

    /**
     * Promises room for an answer, which is given back when the answer was given. If there is none,
     * the connection is woken when there is.
     */
    synchronized boolean promise(Answer answer) {
      if (promiseNow(answer)) {
        return true;
      }
      long needed = needed(answer);
      wanted = wanted == 0 ? needed : Math.min(wanted, needed);
      return false;
    }

    /** Promises as {@link #promise}, but wakes nobody when there is room later. */
    synchronized boolean promiseNow(Answer answer) {
      if (!isClosed && untaken + promised + needed(answer) > ofConnectionMax) {
        return false;
      }
      promised += answer.bytesMax();
      return true;
    }

    private static long needed(Answer answer) {
      return (long) answer.bytesMax() + answer.leftBytes();
    }

    /** Promises to one that is gone, or is going, and will be given next to nothing. */
    synchronized boolean promiseAnyway(Answer answer) {
      promised += answer.bytesMax();
      return true;
    }

    /** What was promised is given, or will never be. */
    void giveBack(Answer answer) {
      synchronized (this) {
        promised -= answer.bytesMax();
      }
      wake();
    }

    private void wake() {
      if (isRoomFound()) {
        wake.run();
      }
    }

    private synchronized boolean isRoomFound() {
      if (isClosed || wanted == 0 || untaken + promised + wanted > ofConnectionMax) {
        return false;
      }
      wanted = 0;
      return true;
    }

    /** Whether there is room for an answer that is given at once. */
    synchronized boolean hasRoom(Answer answer) {
      boolean hasRoom = promise(answer);
      promised -= hasRoom ? answer.bytesMax() : 0;
      return hasRoom;
    }

    /** The connection is given bytes to take. */
    void given(int count) {
      if (!add(count)) {
        return;
      }
      if (bytes.addAndGet(count) > bytesMax) {
        relieve();
      }
      if (hasTooMuch()) {
        end(Farewell.OWN_ANSWERS_UNTAKEN);
      }
    }

    private synchronized boolean add(int count) {
      if (isClosed) {
        return false;
      }
      if (untaken == 0) {
        mark = takenBytes.get();
      }
      untaken += count;
      return true;
    }

    private synchronized boolean hasTooMuch() {
      return untaken > ofConnectionMax;
    }

    /** It has taken them, or never will. */
    void taken(int count) {
      if (subtract(count)) {
        bytes.addAndGet(-count);
        mark = takenBytes.addAndGet(count);
        wake();
      }
    }

    private synchronized boolean subtract(int count) {
      if (isClosed) {
        return false;
      }
      untaken -= count;
      return true;
    }

    private synchronized boolean owes() {
      return untaken > 0;
    }

    private synchronized long settle() {
      long left = untaken;
      untaken = 0;
      isClosed = true;
      return left;
    }

    private void end(Farewell why) {
      close();
      close.accept(why);
    }

    /** The connection ends; idempotent. */
    void close() {
      accounts.remove(this);
      bytes.addAndGet(-settle());
    }
  }
}
