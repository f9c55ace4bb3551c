package io.tunnel.it.sim.watch;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.AnyRows;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.SimWatches;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.read.SimReadPort;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchPosition;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Somebody who watches some keys of all partitions of a table, by the SDK's own watch: stores its
 * position now and then, goes on there after a crash, and begins with the rows when history is
 * lost.
 */
public final class Watcher {

  private static final long POLL_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long AWAY_MS_MAX = 20_000;
  private static final int STORED_ONE_IN = 3;
  private static final int IDS_MAX = 25;

  /** The world in which somebody watches. */
  public interface Home extends ClientHome {
    void count(Did what);
  }

  /** What a watcher did, or what happened to it. */
  public enum Did {
    STARTED,
    CRASHED,
    GIVEN_ROW,
    LOST_HISTORY,
    COMPARED
  }

  private final Home world;
  private final SplittableRandom random;
  private final TableDescription table;
  private final KeyTerms terms;
  private final Map<Integer, WatchStory> stories = new TreeMap<>();
  private Optional<Run> running = Optional.empty();

  /** Where the next watch begins; empty for the rows. */
  private Optional<WatchPosition> stored;

  private int starts;

  /** A process that watches, between two crashes. */
  private final class Run {
    private final SimProcess process;
    private final SimThread user;
    private Optional<Watch> watch = Optional.empty();

    Run(SimProcess process) {
      this.process = process;
      this.user = process.thread("user");
      user.execute(
          () -> {
            begin();
            pollLater();
          });
    }

    private void begin() {
      stories.forEach(
          (partition, story) ->
              stored.ifPresentOrElse(
                  seen -> story.beginsBehind(seen.places().get(partition).position()),
                  story::beginsWithRows));
      WatchConfig how =
          stored.map(WatchConfig.FROM_NOW::behind).orElse(WatchConfig.FROM_NOW.withRows());
      watch =
          Optional.of(
              SimWatches.over(
                  new SimReadPort(world.network(), process, world.agenda()::nowNanos),
                  world.endpoints(),
                  table,
                  terms,
                  how));
    }

    private void pollLater() {
      user.after(
          random.nextLong(POLL_NANOS_MAX),
          () -> {
            watch.ifPresent(this::poll);
            pollLater();
          });
    }

    private void poll(Watch open) {
      try {
        List<WatchEvent> events = open.poll(Duration.ZERO);
        while (!events.isEmpty()) {
          List<WatchEvent> taken = events;
          world.watch(() -> taken.forEach(Watcher.this::take));
          events = open.poll(Duration.ZERO);
        }
        open.position().ifPresent(seen -> world.watch(() -> marked(seen)));
      } catch (RefusedException e) {
        refused(e);
      } catch (ConnectionException e) {
        later(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a simulated thread", e);
      }
    }

    private void refused(RefusedException reason) {
      ErrorCode code = reason.code();
      if (code == ErrorCode.HISTORY_LOST || code == ErrorCode.POSITION_REPLACED) {
        world.count(Did.LOST_HISTORY);
        stored = Optional.empty();
      } else {
        // A node that has not heard yet that the level was raised, and what passes by itself.
        world.watch(
            () ->
                Invariant.NOTHING_BREAKS.require(
                    reason.retriable() || code == ErrorCode.FEATURE_NOT_ENABLED,
                    "a watch cannot go on: %s",
                    reason.getMessage()));
      }
      later(reason);
    }

    private void later(RuntimeException reason) {
      world.trace().add("the watcher begins anew: " + reason.getMessage());
      close();
      user.after(AGAIN_NANOS, this::reopen);
    }

    private void close() {
      watch.ifPresent(Watch::close);
      watch = Optional.empty();
    }

    private void reopen() {
      close();
      begin();
    }
  }

  /** Watches some keys of {@code table} from its first change on, as soon as it is started. */
  public Watcher(Home world, TableDescription table, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.table = table;
    this.terms = anyTerms();
    Map<Integer, WatchPosition.Place> places = new TreeMap<>();
    for (PartitionDescription each : table.partitions()) {
      places.put(each.id(), new WatchPosition.Place(0, Optional.empty()));
      stories.put(each.id(), new WatchStory(world.log(each.id()), terms));
    }
    stored = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(new WatchPosition(places));
  }

  /** Some keys of each partition, or all keys by a prefix besides. */
  private KeyTerms anyTerms() {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 0; i < table.partitions().size(); i++) {
      for (int j = 0; j < 4; j++) {
        long id = (long) i * AnyRows.IDS_PER_PARTITION + random.nextInt(IDS_MAX);
        keys.add(KeyCodec.encode(PrimaryKey.builder().add("id", id).build(), RowFold.SCHEMA));
      }
    }
    List<Bytes> prefixes = new ArrayList<>();
    for (Bytes key : keys) {
      if (random.nextInt(8) == 0) {
        prefixes.add(Bytes.copyOf(key.toByteArray(), 0, key.length() - random.nextInt(3)));
      }
    }
    return new KeyTerms(keys, prefixes, false);
  }

  public void start() {
    if (running.isEmpty()) {
      starts++;
      world.trace().add("the watcher starts");
      world.count(Did.STARTED);
      running = Optional.of(new Run(world.process("watcher." + starts)));
    }
  }

  private void take(WatchEvent event) {
    WatchStory story = stories.get(event.record().partition());
    switch (event.type()) {
      case ROW -> {
        world.count(Did.GIVEN_ROW);
        story.givenRow(event.record());
      }
      case CHANGE -> story.given(event.record());
    }
  }

  private void marked(WatchPosition seen) {
    seen.places().forEach((partition, place) -> stories.get(partition).marked(place.position()));
    if (random.nextInt(STORED_ONE_IN) == 0) {
      stored = Optional.of(WatchPosition.parse(seen.toString()));
    }
  }

  /** Does something that watchers do, or nothing. */
  public void act() {
    int dice = random.nextInt(100);
    if (running.isEmpty()) {
      return;
    }
    Run run = running.get();
    if (dice < 3) {
      world.trace().add("the watcher crashes");
      world.count(Did.CRASHED);
      world.end(run.process);
      running = Optional.empty();
      world
          .agenda()
          .after(TimeUnit.MILLISECONDS.toNanos(random.nextLong(AWAY_MS_MAX)), this::start);
    } else if (dice < 6) {
      run.user.execute(run::reopen);
    } else if (dice < 9) {
      run.process.pause(TimeUnit.MILLISECONDS.toNanos(random.nextLong(AWAY_MS_MAX)));
    }
  }

  /** Nothing happens to it any more. */
  public void calm() {
    start();
    running.orElseThrow().process.wake();
  }

  public boolean isDone() {
    return stories.values().stream().allMatch(WatchStory::isDone);
  }

  public void requireDone(long seconds) {
    for (WatchStory story : stories.values()) {
      story.requireDone(seconds);
      world.count(Did.COMPARED);
    }
  }
}
