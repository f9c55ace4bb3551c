package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.partition.LogTakenException;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, alters and drops tables with their logs, on the control thread and one after the other:
 * every table in the catalog has a log. A failure may leave a log without a table; the next table
 * takes the log if it fits, and otherwise gets a higher id. A log is deleted only after the catalog
 * has noted its id as dropped.
 */
final class TableChanges {

  private static final Logger LOGGER = LoggerFactory.getLogger(TableChanges.class);

  /** Unfit logs that the creation of a table skips. */
  static final int LOGS_PASSED_MAX = 16;

  /** Changes in the queue; the one before them may wait as long as the log does not answer. */
  static final int WAITING_MAX = 1_024;

  private final Catalog catalog;
  private final TableLogs logs;
  private final TunnelHosts tunnels;
  private final Executor control;
  private final LongSupplier epochMs;
  private final Queue<Change> waiting = new ArrayDeque<>();
  private boolean isChanging;

  /** The outcome of a change, called once, on the control thread. */
  interface ChangeAnswer {

    /** The table after the change; empty when it was dropped. */
    void done(Optional<TableRecord> table);

    /** The table was not changed. */
    void failed(Exception reason);
  }

  /** The work of a change; ends with {@link #ended}. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private record Change(Step step, ChangeAnswer answer) {}

  TableChanges(
      Catalog catalog,
      TableLogs logs,
      TunnelHosts tunnels,
      Executor control,
      LongSupplier epochMs) {
    this.catalog = catalog;
    this.logs = logs;
    this.tunnels = tunnels;
    this.control = control;
    this.epochMs = epochMs;
  }

  void create(CreateTable request, Asked asked, ChangeAnswer answer) {
    change(
        () -> {
          create(request, asked, 0, answer);
        },
        asked,
        answer);
  }

  private void create(CreateTable request, Asked asked, int passed, ChangeAnswer answer)
      throws IOException {
    TableRecord planned =
        catalog.planTable(
            request.meta(), request.splitPoints(), epochMs.getAsLong(), passed, asked.by());
    await(
        logs.create(planned),
        answer,
        origin -> catalog.createTable(planned.withOrigin(origin), asked),
        failure ->
            cause(failure) instanceof LogTakenException && passed < LOGS_PASSED_MAX
                ? Optional.of(() -> create(request, asked, passed + 1, answer))
                : Optional.empty());
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Rows that were written without a time to live are not in the index of expiry. */
  private static void requireAlterable(TableRecord table, TableOptions options) {
    if (table.meta().options().ttlMs().isPresent() != options.ttlMs().isPresent()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "table '"
              + table.meta().name()
              + "' was created "
              + (options.ttlMs().isPresent() ? "without" : "with")
              + " a time to live of its rows, which cannot be "
              + (options.ttlMs().isPresent() ? "added" : "removed")
              + "; only its length can be altered");
    }
  }

  /**
   * Leaders that have not heard of a longer time to live delete rows by the shorter one, so the
   * alteration is answered later.
   */
  private ChangeAnswer whenHeard(ChangeAnswer answer) {
    return new ChangeAnswer() {
      @Override
      public void done(Optional<TableRecord> table) {
        CompletableFuture<Void> heard = logs.heard();
        if (heard.isDone()) {
          answer.done(table);
        } else {
          heard.whenComplete((nothing, failure) -> onControl(() -> answer.done(table)));
        }
      }

      @Override
      public void failed(Exception reason) {
        answer.failed(reason);
      }
    };
  }

  private void onControl(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException e) {
      LOGGER.debug("the server stops, so a change of a table is not answered", e);
    }
  }

  private static boolean livesLonger(TableOptions before, TableOptions after) {
    return after.ttlMs().orElse(0L) > before.ttlMs().orElse(0L);
  }

  /**
   * The log keeps more before the catalog promises more, and the catalog promises less before the
   * log keeps less. The change ends when the log has confirmed it, so that a late order to keep
   * less cannot overtake a later order to keep more.
   *
   * @param change the new options by those of the table when its turn comes: no other change comes
   *     between; may refuse
   */
  void alter(String name, UnaryOperator<TableOptions> change, Asked asked, ChangeAnswer answer) {
    change(
        () -> {
          TableRecord table = catalog.table(name);
          TableOptions options = change.apply(table.meta().options());
          requireAlterable(table, options);
          long now = table.meta().options().retentionMs();
          boolean isMore = options.retentionMs() == 0 || (now > 0 && options.retentionMs() > now);
          ChangeAnswer told =
              livesLonger(table.meta().options(), options) ? whenHeard(answer) : answer;
          if (isMore) {
            await(
                logs.alter(table, options),
                told,
                altered -> altered(table, options, asked),
                failure -> Optional.empty());
          } else {
            TableRecord altered = altered(table, options, asked);
            CompletableFuture<Void> log = logs.alter(altered, options);
            later(log, "keeps more changes than it has to", altered);
            endedWith(log);
            told.done(Optional.of(altered));
          }
        },
        asked,
        answer);
  }

  private TableRecord altered(TableRecord table, TableOptions options, Asked asked)
      throws IOException {
    return logs.areShared()
        ? catalog.alterTable(table, options, epochMs.getAsLong(), asked)
        : catalog.alterTable(table, options, asked);
  }

  void drop(String name, Asked asked, ChangeAnswer answer) {
    change(
        () -> {
          TableRecord table = catalog.table(name);
          List<Runnable> farewells = farewells(name);
          catalog.dropTable(table, logs.areShared(), asked);
          farewells.forEach(Runnable::run);
          dropLog(table);
          ended(() -> answer.done(Optional.empty()));
        },
        asked,
        answer);
  }

  private void dropLog(TableRecord table) {
    CompletableFuture<Void> log = logs.drop(table);
    later(log, "was dropped, and its log is still there", table);
    if (logs.areShared()) {
      log.thenRunAsync(() -> logDeleted(DroppedLog.of(table)), control);
    }
  }

  private void logDeleted(DroppedLog log) {
    try {
      catalog.logDeleted(log);
    } catch (IOException | RuntimeException e) {
      // The next leader of the catalog finds the note, and no log to delete.
      LOGGER.warn(
          "deleted the log of dropped table {}, but cannot remove the note of the drop from the"
              + " catalog: {}; the catalog's next leader will retry",
          log.tableId(),
          e.toString());
    }
  }

  /**
   * Tasks that end the sessions of the table's tunnels; collected first, because a dropped table's
   * tunnels cannot be found.
   */
  private List<Runnable> farewells(String table) {
    List<Runnable> farewells = new ArrayList<>();
    for (TunnelHost host : tunnels.all()) {
      List<TunnelInfo> ofTable = host.catalog().tunnels(Optional.of(table));
      Runnable farewell = () -> ofTable.forEach(host.coordinator()::forget);
      farewells.add(host.control() == control ? farewell : () -> host.control().execute(farewell));
    }
    return farewells;
  }

  /**
   * Queues a change. Changes run one after the other, so a retried request finds the outcome of the
   * first.
   */
  private void change(Step step, Asked asked, ChangeAnswer answer) {
    if (waiting.size() >= WAITING_MAX) {
      answer.failed(RequestThreads.busy());
      return;
    }
    Step once =
        () -> {
          Optional<String> done = catalog.done(asked);
          if (done.isPresent()) {
            Optional<TableRecord> table = table(done.get());
            boolean isExpiring = table.flatMap(of -> of.meta().options().ttlMs()).isPresent();
            ChangeAnswer told = isExpiring ? whenHeard(answer) : answer;
            ended(() -> told.done(table));
          } else {
            step.run();
          }
        };
    waiting.add(new Change(once, answer));
    runWaiting();
  }

  /** The table that a request created or altered; empty if it dropped one. */
  private Optional<TableRecord> table(String id) {
    return id.isEmpty() ? Optional.empty() : Optional.of(catalog.table(Integer.parseInt(id)));
  }

  private void runWaiting() {
    while (!isChanging && !waiting.isEmpty()) {
      Change change = waiting.remove();
      isChanging = true;
      try {
        change.step().run();
      } catch (IOException | RuntimeException e) {
        ended(() -> change.answer().failed(e));
      }
    }
  }

  /** Ends a change; the next one begins after the answer. */
  private void ended(Runnable answer) {
    isChanging = false;
    answer.run();
  }

  /** Ends an answered change when the log has confirmed or failed. */
  private void endedWith(CompletableFuture<Void> log) {
    if (log.isDone()) {
      isChanging = false;
      return;
    }
    log.whenComplete(
        (nothing, failure) -> {
          try {
            control.execute(
                () -> {
                  isChanging = false;
                  runWaiting();
                });
          } catch (RejectedExecutionException e) {
            LOGGER.debug("the server stops, so waiting changes of tables are dropped", e);
          }
        });
  }

  /** Changes the catalog. */
  @FunctionalInterface
  private interface LogAppend<T> {
    TableRecord write(T logged) throws IOException;
  }

  /** Waits for the log; {@code instead} gives the work to do when the log fails. */
  private <T> void await(
      CompletableFuture<T> log,
      ChangeAnswer answer,
      LogAppend<T> entry,
      Function<Throwable, Optional<Step>> instead)
      throws IOException {
    if (log.isDone() && !log.isCompletedExceptionally()) {
      TableRecord written = entry.write(log.join());
      ended(() -> answer.done(Optional.of(written)));
      return;
    }
    log.whenComplete(
        (logged, failure) -> {
          try {
            control.execute(
                () -> {
                  if (failure == null) {
                    logged(logged, answer, entry);
                  } else {
                    failed(failure, instead.apply(failure), answer);
                  }
                });
          } catch (RejectedExecutionException e) {
            LOGGER.debug("the server stops, so a change of a table is dropped", e);
          }
        });
  }

  private <T> void logged(T logged, ChangeAnswer answer, LogAppend<T> entry) {
    TableRecord written;
    try {
      written = entry.write(logged);
    } catch (IOException | RuntimeException e) {
      ended(() -> answer.failed(e));
      runWaiting();
      return;
    }
    ended(() -> answer.done(Optional.of(written)));
    runWaiting();
  }

  private void failed(Throwable failure, Optional<Step> instead, ChangeAnswer answer) {
    if (instead.isEmpty()) {
      ended(() -> answer.failed(CatchUp.unavailable(failure)));
    } else {
      try {
        instead.get().run();
      } catch (IOException | RuntimeException e) {
        ended(() -> answer.failed(e));
      }
    }
    runWaiting();
  }

  private static void later(CompletableFuture<Void> log, String what, TableRecord table) {
    log.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            LOGGER.warn("table {} {}", table.meta().name(), what, failure);
          }
        });
  }
}
