package io.tunnel.it.sim;

import io.tunnel.model.Durability;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What is done to tables and checkpoints in some worlds: changes are kept for some seconds only,
 * and for how long is altered; other tables come, are written and read, and are dropped;
 * checkpoints are exported, and brought back later; somebody reads without a tunnel.
 */
public final class Upkeep {

  private static final int OTHERS_MAX = 2;
  private static final int SETS_MAX = 4;

  private final World world;
  private final Operator operator;
  private final SplittableRandom random;
  private final Kind kind;
  private final TreeMap<String, SimProgram> writers = new TreeMap<>();
  private final List<CheckpointSet> exported = new ArrayList<>();
  private Optional<SimReading> reading = Optional.empty();
  private int lastTable;

  /**
   * What of it is done in a world.
   *
   * @param retentionMs how long changes of the first table are kept at first; 0 for ever
   * @param ttlMs how long rows of all tables live; 0 for ever
   * @param expiredRowsPerSecondMax how many expired rows the server deletes in a second
   */
  public record Kind(
      long retentionMs,
      boolean hasOtherTables,
      boolean hasImports,
      boolean hasReading,
      long ttlMs,
      int expiredRowsPerSecondMax) {
    private static final int NO_PACE = ShardConfig.EXPIRED_ROWS_PER_SECOND_MAX_DEFAULT;
    public static final Kind NONE = new Kind(0, false, false, false, 0, NO_PACE);

    /** Any; nothing of it in a third of the worlds. */
    static Kind of(SplittableRandom random) {
      return new Kind(
          random.nextInt(3) == 0 ? 1_500 + random.nextInt(6_000) : 0,
          random.nextInt(5) == 0,
          random.nextInt(5) == 0,
          random.nextInt(4) == 0,
          random.nextInt(4) == 0 ? 1_000 + random.nextInt(7_000) : 0,
          random.nextBoolean() ? 2 + random.nextInt(19) : NO_PACE);
    }

    /** Whether more rows may expire in a second than the server deletes. */
    boolean hasPace() {
      return ttlMs > 0 && expiredRowsPerSecondMax < NO_PACE;
    }

    /** Whether the server has to look for changes that may go. */
    boolean forgets() {
      return retentionMs > 0 || hasOtherTables;
    }
  }

  Upkeep(World world, Operator operator, SplittableRandom random) {
    this.world = world;
    this.operator = operator;
    this.random = random;
    this.kind = world.settings.kind();
  }

  /** The options of the first table. */
  TableOptions options() {
    return options(kind.retentionMs());
  }

  private TableOptions options(long retentionMs) {
    return new TableOptions(Durability.FSYNC, retentionMs, 0)
        .withTtl(Duration.ofMillis(kind.ttlMs()));
  }

  /** The first table is there. */
  void begin(List<Integer> partitions) {
    if (kind.hasReading()) {
      reading = Optional.of(new SimReading(world, partitions, random.split()));
    }
  }

  /** The reader of the table without a tunnel, if any. */
  Optional<SimReading> reading() {
    return reading;
  }

  /** Does something, or nothing. */
  void act() {
    if (reading.isPresent() && random.nextInt(10) == 0) {
      reading.get().reconnect();
    }
    if (kind.retentionMs() > 0 && random.nextInt(12) == 0) {
      alter();
    }
    if (kind.hasOtherTables() && random.nextInt(3) == 0) {
      otherTable();
    }
    if (kind.hasImports() && random.nextInt(5) == 0) {
      exportOrImport();
    }
  }

  private void alter() {
    long ms = random.nextInt(4) == 0 ? 0 : 1_000 + random.nextInt(8_000);
    operator.alter(Operator.TABLE, new OptionsChange().withRetention(Duration.ofMillis(ms)));
  }

  private void otherTable() {
    int dice = random.nextInt(8);
    if (writers.isEmpty() || (dice == 0 && writers.size() < OTHERS_MAX)) {
      String name = "other-" + ++lastTable;
      int partitions = 1 + random.nextInt(3);
      operator.createTable(name, options(), partitions, table -> created(name, table));
      return;
    }
    String name = any(List.copyOf(writers.keySet()));
    if (dice == 1) {
      writers.remove(name);
      operator.drop(name);
    } else if (dice == 2) {
      operator.create(
          name,
          random.nextBoolean() ? TunnelType.Stream : TunnelType.BaseAndStream,
          StreamStart.EARLIEST,
          Optional.empty(),
          Optional.empty());
    } else if (dice == 3) {
      tunnels(name).stream()
          .findFirst()
          .ifPresent(tunnel -> world.startWorker(tunnel.tunnelId(), false));
    } else {
      writers.get(name).writeAnywhere(1 + random.nextInt(6));
    }
  }

  private void created(String name, TableDescription table) {
    writers.put(
        name,
        new SimProgram(
            world,
            random.split(),
            name,
            table.partitions().stream().map(each -> each.id()).toList(),
            1));
  }

  private List<TunnelInfo> tunnels(String table) {
    return world.machine.isUp()
        ? world.machine.tunnels().stream().filter(each -> each.table().equals(table)).toList()
        : List.of();
  }

  private void exportOrImport() {
    List<TunnelInfo> all = tunnels(Operator.TABLE);
    if (all.isEmpty()) {
      return;
    }
    if (exported.isEmpty() || random.nextInt(3) > 0) {
      operator.export(any(all), this::exported);
    } else {
      operator.bringBack(any(all), any(exported));
    }
  }

  private void exported(CheckpointSet set) {
    if (exported.size() == SETS_MAX) {
      exported.remove(0);
    }
    exported.add(set);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
