package io.tunnel.programs.torture;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Creates and drops tables all the time, and remembers what it was told of each. */
final class TortureOperator implements AutoCloseable {

  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(4);

  private final TableClient client;
  private final Thread thread = new Thread(this::run, "torture-operator");
  private final Map<String, State> states = new HashMap<>();
  private final Runnable pause;
  private boolean isOpen;
  private boolean isOver;
  private boolean isBusy;
  private int number;

  /** What is known of a table. */
  enum State {
    CREATING,
    THERE,
    DROPPING,
    GONE
  }

  /**
   * An operator who waits.
   *
   * @param pause what the operator does between two tables
   */
  TortureOperator(String endpoint, Runnable pause) {
    this.pause = pause;
    client = TableClient.connect(ClientConfig.of(endpoint).withRetryDeadline(RETRY_DEADLINE));
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (pass()) {
        step();
        pause.run();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
    }
  }

  private synchronized boolean pass() throws InterruptedException {
    isBusy = false;
    notifyAll();
    while (!isOpen && !isOver) {
      wait();
    }
    isBusy = !isOver;
    return !isOver;
  }

  private void step() {
    String made = "made-" + ++number;
    set(made, State.CREATING);
    try {
      var unused =
          client.createTable(
              new TableMeta(made, List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
      set(made, State.THERE);
      String old = "made-" + (number - 2);
      if (state(old) == State.THERE) {
        set(old, State.DROPPING);
        client.dropTable(old);
        set(old, State.GONE);
      }
    } catch (RuntimeException unknown) {
      // What became of it is in doubt, and is so noted.
    }
  }

  private synchronized void set(String table, State state) {
    states.put(table, state);
  }

  private synchronized State state(String table) {
    return states.getOrDefault(table, State.GONE);
  }

  synchronized void go() {
    isOpen = true;
    notifyAll();
  }

  /** Returns when nothing is under way. */
  synchronized void pause() throws InterruptedException {
    isOpen = false;
    while (isBusy) {
      wait();
    }
  }

  /** What is known now. */
  synchronized Map<String, State> known() {
    return new HashMap<>(states);
  }

  /**
   * What does not hold.
   *
   * @param certain what was known at a moment that must have survived
   * @param tables that there are
   */
  synchronized List<String> wrong(Map<String, State> certain, Set<String> tables) {
    List<String> wrong = new ArrayList<>();
    certain.forEach(
        (table, state) -> {
          if (state == State.THERE && states.get(table) == State.THERE && !tables.contains(table)) {
            wrong.add("table " + table + " was created and is not there");
          }
          if (state == State.GONE && tables.contains(table)) {
            wrong.add("table " + table + " was dropped and is there");
          }
        });
    // What was known later and did not survive is in doubt from now on.
    states.replaceAll(
        (table, state) -> {
          if (certain.get(table) == state) {
            return state;
          }
          return tables.contains(table) ? State.THERE : State.DROPPING;
        });
    return wrong;
  }

  @Override
  public void close() {
    synchronized (this) {
      isOver = true;
      notifyAll();
    }
    client.close();
  }
}
