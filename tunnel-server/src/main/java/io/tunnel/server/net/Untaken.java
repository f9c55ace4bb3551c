package io.tunnel.server.net;

import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of answers and deliveries that clients have not taken, of all connections. When they
 * are too many, the connection is closed that has taken nothing for longest; how long is counted in
 * bytes that the others have taken since. For any thread.
 */
final class Untaken {

  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong takenBytes = new AtomicLong();
  private final Set<Account> accounts = ConcurrentHashMap.newKeySet();

  Untaken(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** A connection begins; {@code close} ends it, called by any thread. */
  Account open(Runnable close) {
    Account account = new Account(close);
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
      laziest.get().close();
      laziest.get().close.run();
    }
  }

  /** What one connection has not taken. */
  final class Account {
    private final Runnable close;

    /** Guarded by this object's monitor, under which nothing is called; so is isClosed. */
    private long untaken;

    private boolean isClosed;

    /** What all had taken when this connection took something last, or owed nothing. */
    private volatile long mark = takenBytes.get();

    private Account(Runnable close) {
      this.close = close;
    }

    /** The connection is given bytes to take. */
    void given(int count) {
      if (add(count) && bytes.addAndGet(count) > bytesMax) {
        relieve();
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

    /** It has taken them, or never will. */
    void taken(int count) {
      if (subtract(count)) {
        bytes.addAndGet(-count);
        mark = takenBytes.addAndGet(count);
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

    /** The connection ends; idempotent. */
    void close() {
      accounts.remove(this);
      bytes.addAndGet(-settle());
    }
  }
}
