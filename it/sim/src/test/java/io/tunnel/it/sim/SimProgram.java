package io.tunnel.it.sim;

import io.tunnel.model.Durability;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableWriterConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Programs that write to a table through the SDK. Each has two writers, so the programs have more
 * writers than the server keeps. A program is paused and killed now and then.
 */
public final class SimProgram {

  private static final int KILLED_ONE_IN = 150;
  private static final int PAUSED_ONE_IN = 100;
  private static final int REPLACED_ONE_IN = 40;
  private static final int RENEWED_ONE_IN = 3;

  private final Program.Home home;
  private final List<Integer> partitions;
  private final SplittableRandom random;
  private final AnyRows rows;
  private final List<Program> programs = new ArrayList<>();

  /** Some programs that write to the partitions of a table. */
  public SimProgram(
      SimWorld<?> world,
      SplittableRandom random,
      String table,
      List<Integer> partitions,
      int programs) {
    this(world, random, "writer", table, partitions, programs);
  }

  /** Some programs of a principal. */
  SimProgram(
      SimWorld<?> world,
      SplittableRandom random,
      String principal,
      String table,
      List<Integer> partitions,
      int programs) {
    this.home = world;
    this.random = random;
    this.partitions = List.copyOf(partitions);
    this.rows = new AnyRows(random.split(), home.hasAllFeatures());
    for (int i = 0; i < programs; i++) {
      this.programs.add(
          new Program(home, principal + "." + table + "." + i, table, new AnyDeadlines()));
    }
  }

  private final class AnyDeadlines implements Program.Kind {

    @Override
    public ClientConfig client(ClientConfig base) {
      return base.withConnectDeadline(anyMs(500, 3_000))
          .withRequestDeadline(anyMs(300, random.nextInt(3) == 0 ? 5_000 : 1_000))
          .withRetryDeadline(anyMs(500, 8_000))
          .withWriteRetryDeadline(anyMs(500, random.nextBoolean() ? 3_000 : 20_000));
    }

    @Override
    public TableWriterConfig writer() {
      return TableWriterConfig.DEFAULTS
          .withBatchBytesMax(100 + random.nextInt(500))
          .withLinger(Duration.ofMillis(random.nextInt(50)));
    }

    private Duration anyMs(int from, int to) {
      return Duration.ofMillis(from + random.nextInt(to - from));
    }
  }

  /** Writes some rows to any partition. */
  public void writeAnywhere(int count) {
    write(random.nextInt(partitions.size()), count, Durability.FSYNC);
  }

  /** Lets any program write some rows to a partition, by its place in the table. */
  public void write(int place, int count, Durability durability) {
    Program program = programs.get(random.nextInt(programs.size()));
    disturb(program);
    AnyRows.Style style = rows.anyStyle();
    boolean isAtomic = count > 1 && random.nextInt(6) == 0 && home.hasAllFeatures();
    boolean isHurried = random.nextBoolean();
    Supplier<LongFunction<RowChange>> changes =
        () -> {
          AnyRows.Style drawn = isAtomic ? new AnyRows.Style(random.nextInt(3) == 0, false) : style;
          return value -> rows.change(place, drawn, value);
        };
    program
        .writer(durability)
        .write(
            new Program.Rows(partitions.get(place), count, isAtomic, isHurried, changes),
            (change, told) -> {});
  }

  private void disturb(Program program) {
    if (program.hasFormerKey() && random.nextInt(RENEWED_ONE_IN) == 0) {
      // Its user gives the program the new key.
      program.restart();
    } else if (random.nextInt(KILLED_ONE_IN) == 0) {
      program.restart();
    } else if (random.nextInt(PAUSED_ONE_IN) == 0) {
      program.pause(TimeUnit.MILLISECONDS.toNanos(random.nextInt(6_000)));
    } else if (random.nextInt(REPLACED_ONE_IN) == 0) {
      program.replaceSynced();
    }
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  public boolean isDone() {
    return programs.stream().allMatch(Program::isDone);
  }
}
