package io.tunnel.programs.torture;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Phaser;

/**
 * Clients that write until they are told to stop. Each has keys of its own, and sends the next
 * version of a key when the outcome of the one before is known.
 */
final class TortureWriters implements AutoCloseable {

  private static final int BATCH_ROWS_MAX = 64;
  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(4);
  private static final Duration REQUEST_DEADLINE = Duration.ofSeconds(4);

  private final List<Writer> writers = new ArrayList<>();
  private final Gate gate = new Gate();
  private final Runnable pause;

  /**
   * Clients that wait.
   *
   * @param pause what each does between two batches
   */
  TortureWriters(String endpoint, int count, Runnable pause, Ledgers ledgers) {
    this.pause = pause;
    ClientConfig config =
        ClientConfig.of(endpoint)
            .withRetryDeadline(RETRY_DEADLINE)
            .withWriteRetryDeadline(RETRY_DEADLINE)
            .withRequestDeadline(REQUEST_DEADLINE);
    for (int i = 0; i < count; i++) {
      Writer writer = new Writer(TableClient.connect(config), i, count, ledgers);
      writers.add(writer);
      writer.start();
    }
  }

  /** Where outcomes are entered. */
  record Ledgers(Witness ledger, Witness shortLedger, Histories histories) {}

  /** Opens and shuts the way of all writers. */
  private static final class Gate {
    private final Phaser idle = new Phaser(1);
    private boolean isOpen;
    private boolean isOver;

    synchronized void set(boolean open) {
      isOpen = open;
      notifyAll();
    }

    synchronized void end() {
      isOver = true;
      notifyAll();
    }

    /** False when all is over. */
    synchronized boolean pass() throws InterruptedException {
      while (!isOpen && !isOver) {
        wait();
      }
      if (!isOver) {
        int unused = idle.register();
      }
      return !isOver;
    }

    void done() {
      int unused = idle.arriveAndDeregister();
    }

    /** Returns when nothing is under way; the gate is shut. */
    void awaitIdle() {
      int unused = idle.arriveAndAwaitAdvance();
    }
  }

  /** Lets them write. */
  void go() {
    gate.set(true);
  }

  /** Lets them finish what they have sent; returns when each outcome is known. */
  void pause() {
    gate.set(false);
    gate.awaitIdle();
  }

  private final class Writer extends Thread {
    private final TableClient client;
    private final Ledgers ledgers;
    private final SplittableRandom random;
    private final int id;
    private final int stride;

    Writer(TableClient client, int id, int stride, Ledgers ledgers) {
      super("torture-writer-" + id);
      this.client = client;
      this.id = id;
      this.stride = stride;
      this.ledgers = ledgers;
      this.random = new SplittableRandom(id);
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        for (long turn = 0; gate.pass(); turn++) {
          try {
            boolean isShort = turn % 4 == 3;
            write(
                isShort ? TortureTable.SHORT : TortureTable.NAME,
                isShort ? ledgers.shortLedger() : ledgers.ledger(),
                isShort ? Optional.empty() : Optional.of(ledgers.histories()));
          } finally {
            gate.done();
          }
          pause.run();
        }
      } catch (InterruptedException e) {
        interrupt();
      }
    }

    private void write(String table, Witness ledger, Optional<Histories> histories) {
      int rows = 1 + random.nextInt(BATCH_ROWS_MAX);
      int first = random.nextInt(TortureTable.KEYS);
      List<RowChange> changes = new ArrayList<>();
      int[] keys = new int[rows];
      int[] versions = new int[rows];
      for (int i = 0; i < rows; i++) {
        // Distinct keys over all partitions; no key belongs to two writers.
        int number = (first + i * 61) % TortureTable.KEYS;
        keys[i] = number - number % stride + id;
        if (keys[i] >= TortureTable.KEYS || contains(keys, i)) {
          keys[i] = -1;
          continue;
        }
        versions[i] = ledger.invoke(keys[i]);
        changes.add(TortureTable.change(keys[i], versions[i]));
        int index = i;
        histories.ifPresent(all -> all.invoke(id, keys[index], versions[index]));
      }
      List<RowResult> results = client.tryWrite(table, changes).results();
      int next = 0;
      for (int i = 0; i < rows; i++) {
        if (keys[i] >= 0) {
          RowResult result = results.get(next++);
          enter(ledger, keys[i], versions[i], result);
          int index = i;
          histories.ifPresent(all -> all.outcome(id, keys[index], versions[index], result));
        }
      }
    }

    private void enter(Witness ledger, int key, int version, RowResult result) {
      switch (result.outcome()) {
        case APPLIED -> ledger.acknowledged(key, version, result.partition(), result.position());
        case IN_DOUBT -> ledger.inDoubt(key, version);
        case REJECTED, NOT_SENT -> ledger.refused(key, version);
      }
    }

    private static boolean contains(int[] keys, int count) {
      for (int i = 0; i < count; i++) {
        if (keys[i] == keys[count]) {
          return true;
        }
      }
      return false;
    }
  }

  @Override
  public void close() {
    gate.end();
    for (Writer writer : writers) {
      // A client whose server is gone gives up what is under way.
      writer.client.close();
    }
  }
}
