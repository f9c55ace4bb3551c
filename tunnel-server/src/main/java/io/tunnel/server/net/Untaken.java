package io.tunnel.server.net;

import io.tunnel.model.Limits;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Budget;
import io.tunnel.wire.Operation;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The bytes of answers and deliveries that clients have not read, of all connections. Beyond the
 * limit the server closes the connection that has read nothing for longest. For any thread.
 *
 * <p>The unread bytes of one connection are bounded too. Room for a large answer is promised before
 * the answer is made, at its largest size, and the unused part is given back: so no data is read
 * for a connection without room.
 */
final class Untaken {

  /** The largest batch and the key that follows it. */
  private static final int ROWS_BYTES_MAX = Limits.BATCH_BYTES_MAX + 64 * 1024;

  private static final int LEFT_FOR_ROWS = 7 * 1024 * 1024;

  private final Budget<Account> unread;
  private final long ofConnectionMax;

  /**
   * Without unread bytes.
   *
   * @param bytesMax limit of all connections
   * @param ofConnectionMax limit of one connection's promised and unread bytes: further promises
   *     wait, and a connection that exceeds it with unpromised answers is closed
   */
  Untaken(long bytesMax, long ofConnectionMax) {
    this.unread = new Budget<>(bytesMax);
    this.ofConnectionMax = ofConnectionMax;
  }

  /**
   * The kinds of large answers. Each kind leaves room for the kinds before it, so that deliveries
   * do not wait for reads, and neither waits for descriptions.
   */
  enum AnswerKind {
    /** Changes of a channel, read and sent at once by the event loop. */
    DELIVERY(Limits.FRAME_BYTES_MAX, 0),
    /** A row, or a page of a range. */
    ROWS(ROWS_BYTES_MAX, Limits.FRAME_BYTES_MAX),
    /** A page of base data. */
    BASE_PAGE(ROWS_BYTES_MAX, Limits.FRAME_BYTES_MAX + LEFT_FOR_ROWS),
    /** Descriptions of tables, tunnels, nodes and rights. */
    DESCRIPTION(Limits.FRAME_BYTES_MAX, Limits.FRAME_BYTES_MAX + LEFT_FOR_ROWS);

    /**
     * Operations whose room is promised before they begin. Reads of rows get theirs later, in their
     * turn; all other operations have small answers, or make changes that must not wait.
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
            Operation.LIST_ROW_SESSIONS,
            Operation.LIST_KEYS,
            Operation.LIST_PERMISSIONS,
            Operation.LIST_GROUPS,
            Operation.LIST_TOKENS,
            Operation.LIST_QUOTAS);

    private final int bytesMax;
    private final int leftBytes;

    AnswerKind(int bytesMax, int leftBytes) {
      this.bytesMax = bytesMax;
      this.leftBytes = leftBytes;
    }

    /** The largest size. */
    int bytesMax() {
      return bytesMax;
    }

    /** Room that must stay free for other kinds. */
    int leftBytes() {
      return leftBytes;
    }

    /** The kind of an operation's answer, if its room is promised before the operation begins. */
    static Optional<AnswerKind> of(Operation operation) {
      return operation != null && DESCRIBING.contains(operation)
          ? Optional.of(DESCRIPTION)
          : Optional.empty();
    }
  }

  /**
   * Opens a connection's account.
   *
   * @param close closes the connection, called by any thread
   * @param wake called by any thread when room for a refused promise may be free
   */
  Account open(Consumer<Farewell> close, Runnable wake) {
    return new Account(close, wake);
  }

  /** The unread bytes of all connections. */
  long bytes() {
    return unread.taken();
  }

  /**
   * The unread bytes of one connection, at most {@code ofConnectionMax}, or the connection is being
   * closed. The monitor guards the fields; only the budget is called under it.
   */
  final class Account {
    private final Consumer<Farewell> close;
    private final Runnable wake;

    /** Promised bytes; together with the unread ones at most {@code ofConnectionMax}. */
    private long promised;

    /** The smallest refused promise since the last wake-up; 0 without one. */
    private long wanted;

    private boolean isClosed;

    private Account(Consumer<Farewell> close, Runnable wake) {
      this.close = close;
      this.wake = wake;
    }

    /**
     * Promises room for an answer, to be given back with {@link #giveBack}. Without room it returns
     * false, and the connection is woken later.
     */
    synchronized boolean promise(AnswerKind answer) {
      if (promiseNow(answer)) {
        return true;
      }
      long needed = needed(answer);
      wanted = wanted == 0 ? needed : Math.min(wanted, needed);
      return false;
    }

    /** Like {@link #promise}, without a wake-up later. */
    synchronized boolean promiseNow(AnswerKind answer) {
      if (!isClosed && !fits(needed(answer))) {
        return false;
      }
      promised += answer.bytesMax();
      return true;
    }

    private boolean fits(long more) {
      return unread.of(this) + promised + more <= ofConnectionMax;
    }

    private static long needed(AnswerKind answer) {
      return (long) answer.bytesMax() + answer.leftBytes();
    }

    /** Promises room to a closing connection, which will get almost no bytes. */
    synchronized boolean promiseAnyway(AnswerKind answer) {
      promised += answer.bytesMax();
      return true;
    }

    /** Gives a promise back: the answer was sent or will never be. */
    void giveBack(AnswerKind answer) {
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
      if (isClosed || wanted == 0 || !fits(wanted)) {
        return false;
      }
      wanted = 0;
      return true;
    }

    /** Whether there is room for an answer that is sent at once. */
    synchronized boolean hasRoom(AnswerKind answer) {
      boolean hasRoom = promise(answer);
      promised -= hasRoom ? answer.bytesMax() : 0;
      return hasRoom;
    }

    /** Bytes were sent to the client. */
    void given(int count) {
      synchronized (this) {
        if (isClosed) {
          return;
        }
        unread.take(this, count);
      }
      unread.relieve(laziest -> laziest.end(Farewell.ANSWERS_UNTAKEN));
      if (unread.of(this) > ofConnectionMax) {
        end(Farewell.OWN_ANSWERS_UNTAKEN);
      }
    }

    /** The client has read the bytes, or never will. */
    void taken(int count) {
      synchronized (this) {
        if (isClosed) {
          return;
        }
        unread.give(this, count);
      }
      wake();
    }

    private void end(Farewell why) {
      close();
      close.accept(why);
    }

    /** Closes the account; idempotent. */
    synchronized void close() {
      isClosed = true;
      unread.set(this, 0);
    }
  }
}
