package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.FormatFeature;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Build;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writes rows with attributes of the next level each second, and knows what must become of each
 * row: refused by name before the level is raised, applied behind the raise. A worker of the former
 * build consumes the rows whose attribute a reader may skip, from the start to the end.
 */
final class Trials implements AutoCloseable {

  /** How far the raise of the level is. */
  private enum Phase {
    BEFORE,
    RAISING,
    RAISED
  }

  private final Stage stage;
  private final Supplier<? extends Collection<? extends Service>> services;
  private final Supplier<List<Integer>> ports;
  private final List<Trial> trials;
  private final Channels tunnel;
  private final WorkerProcess worker;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private volatile Phase phase = Phase.BEFORE;

  /** The first thing that went wrong in the background. */
  private volatile Optional<Throwable> failure = Optional.empty();

  /** A table, and the feature that its rows use. Used by the thread alone, but for the end. */
  private static final class Trial {
    private final FormatFeature feature;
    private final Scene scene;
    private final TableDescription table;
    private final Map<String, String> applied = new TreeMap<>();
    private final Map<String, String> inDoubt = new TreeMap<>();
    private int number;
    private int refused;

    Trial(FormatFeature feature, Scene scene, int port) {
      this.feature = feature;
      this.scene = scene;
      table = described(scene.table(), port);
    }

    /** The table, as soon as the server has heard of it. */
    private static TableDescription described(String table, int port) {
      AtomicReference<Frame> answer = new AtomicReference<>();
      try (RawClient client = RawClient.greeted(port)) {
        byte[] request = Json.encode(new TableName(table));
        Poll.until(
            "the partitions of " + table,
            () -> {
              answer.set(client.ask(Operation.PARTITION_MAP.code(), request));
              return answer.get().kind() == FrameKind.RESPONSE;
            });
      }
      return Json.decode(answer.get().payload(), TableDescription.class);
    }

    byte[] payload(int value) {
      ByteSink list = new ByteSink(16);
      Attributes.write(list, feature.number(), Bytes.fromHex("0a0b0c"));
      return RawWrite.payload(
          table,
          table.partitions().get(0).id(),
          TestTable.put(1, "t" + value, value),
          Bytes.copyOf(list.array(), 0, list.size()));
    }
  }

  /**
   * Begins.
   *
   * @param service the cluster or the server
   * @param services each that must have the rows at the end
   * @param ports where those that run now are asked
   */
  Trials(
      Stage stage,
      Service service,
      Supplier<? extends Collection<? extends Service>> services,
      Supplier<List<Integer>> ports) {
    this.stage = stage;
    this.services = services;
    this.ports = ports;
    int port = ports.get().get(0);
    trials =
        List.of(
            new Trial(FormatFeature.TRIAL_NOTE, new Scene(stage, service, 1), port),
            new Trial(FormatFeature.TRIAL, new Scene(stage, service, 1), port));
    tunnel = trials.get(0).scene.tunnel("trial", TunnelType.Stream);
    worker =
        trials.get(0).scene.worker(tunnel, WorkerSetup.of("former", Scene.OFTEN), Build.FORMER);
    trials.forEach(trial -> trial.scene.fill(3, 8));
    var unused = thread.scheduleAtFixedRate(this::attemptAll, 0, 1, TimeUnit.SECONDS);
  }

  private void attemptAll() {
    try {
      for (Trial trial : trials) {
        var unused = attempt(trial);
      }
    } catch (RuntimeException | AssertionError e) {
      failure = failure.or(() -> Optional.of(e));
    }
  }

  /** Writes a row once; the refusal for the feature, if the feature is refused. */
  private Optional<ErrorPayload> attempt(Trial trial) {
    Phase begun = phase;
    int value = ++trial.number;
    String key = "1,t" + value;
    byte[] payload = trial.payload(value);
    for (int port : ports.get()) {
      Optional<Frame> answer = ask(port, payload);
      if (answer.isEmpty()) {
        trial.inDoubt.put(key, Integer.toString(value));
      } else if (answer.get().kind() != FrameKind.ERROR) {
        assertThat(phase).as("%s is applied", trial.feature).isNotEqualTo(Phase.BEFORE);
        trial.applied.put(key, Integer.toString(value));
        return Optional.empty();
      } else {
        ErrorPayload refusal = RawClient.errorOf(answer.get());
        if (!refusal.code().retriable()) {
          requireNamed(trial, refusal);
          assertThat(begun).as(refusal.message()).isNotEqualTo(Phase.RAISED);
          trial.refused++;
          return Optional.of(refusal);
        }
      }
    }
    return Optional.empty();
  }

  private static void requireNamed(Trial trial, ErrorPayload refusal) {
    assertThat(refusal.code()).as(refusal.message()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    // Each build has the trial at the level behind its own.
    assertThat(List.of(named(trial, Build.FORMER.level() + 1), named(trial, Build.NEXT.level())))
        .as(refusal.message())
        .anyMatch(refusal.message()::startsWith);
  }

  private static String named(Trial trial, int needed) {
    return "the feature '"
        + trial.feature.label()
        + "' needs level "
        + needed
        + ", and the level is "
        + Build.FORMER.level()
        + "; ";
  }

  /** The answer of a server that may end meanwhile; empty when there is none. */
  private static Optional<Frame> ask(int port, byte[] payload) {
    try (RawClient client = RawClient.silent(port)) {
      byte[] hello = Hello.request(Protocol.SPOKEN, "raw").encode();
      client.send(RawClient.bytesOf(Operation.HELLO.code(), FrameKind.REQUEST, 1, hello));
      if (client.receive().isEmpty()) {
        return Optional.empty();
      }
      client.send(RawClient.bytesOf(Operation.WRITE.code(), FrameKind.REQUEST, 2, payload));
      return client.receive();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /** The feature is refused, and the refusal names these nodes and no others. */
  void requireRefused(Collection<String> lacking) {
    requireFine();
    String named =
        lacking.stream()
            .sorted()
            .map(node -> node + " (" + Build.FORMER.level() + " at most)")
            .collect(Collectors.joining(", "));
    String why =
        lacking.isEmpty()
            ? "raise the level: tunnel cluster upgrade"
            : named + " does not serve it: replace the build there, then raise the level";
    for (Trial trial : trials) {
      Poll.until(
          trial.feature + " is refused: " + why,
          () ->
              onThread(trial)
                  .filter(refusal -> refusal.message().endsWith("; " + why))
                  .isPresent());
    }
  }

  private Optional<ErrorPayload> onThread(Trial trial) {
    try {
      return thread.submit(() -> attempt(trial)).get();
    } catch (ExecutionException e) {
      throw new AssertionError("a trial of " + trial.feature, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** From now on the level may be raised. */
  void mayApply() {
    requireFine();
    phase = Phase.RAISING;
  }

  /** From now on each node knows that the level is raised. */
  void mustApply() {
    phase = Phase.RAISED;
    awaitApplied();
  }

  /** Returns when one more row of each feature is applied. */
  void awaitApplied() {
    for (Trial trial : trials) {
      int before = trial.applied.size();
      Poll.until(
          trial.feature + " is applied",
          () -> {
            var unused = onThread(trial);
            return trial.applied.size() > before;
          });
    }
    requireFine();
  }

  private void requireFine() {
    failure.ifPresent(
        e -> {
          throw new AssertionError("a trial in the background failed", e);
        });
  }

  /** Every server has what was acknowledged and nothing that was refused; so has the worker. */
  void end() throws InterruptedException {
    thread.shutdown();
    assertThat(thread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    requireFine();
    for (Trial trial : trials) {
      assertThat(trial.refused).as("refusals of %s", trial.feature).isPositive();
      for (Service service : services.get()) {
        requireRows(
            trial, Ledger.rowsOf(stage.tables(service), trial.scene.table(), RangeQuery.ALL));
      }
    }
    Scene skipped = trials.get(0).scene;
    tunnel.awaitBeyond(skipped.committed());
    Sightings seen = new Sightings().add(worker.stop());
    assertThat(seen.rows()).isEqualTo(skipped.rows());
  }

  private static void requireRows(Trial trial, Map<String, Map<String, String>> rows) {
    Map<String, String> found = new TreeMap<>();
    rows.forEach(
        (key, columns) -> {
          if (columns.containsKey("v")) {
            found.put(key, columns.get("v"));
          }
        });
    assertThat(found).containsAllEntriesOf(trial.applied);
    Set<String> more = new TreeSet<>(found.keySet());
    more.removeAll(trial.applied.keySet());
    assertThat(trial.inDoubt.keySet()).as("rows in doubt").containsAll(more);
    assertThat(rows).hasSize(found.size() + 3);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    worker.child().close();
  }
}
