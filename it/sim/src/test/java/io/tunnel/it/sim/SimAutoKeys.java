package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.ChosenNumbers;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.wire.control.Control.TableDescription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Programs that write to a table whose keys the server numbers: each lets the server choose
 * numbers, names numbers that the server is about to choose, and deletes the rows with the largest
 * numbers. A program is killed now and then, and starts again with a new client.
 */
public final class SimAutoKeys {

  private static final String TABLE = "numbers";
  private static final int PROGRAMS = 2;
  private static final int PARTITIONS_MAX = 2;
  private static final int FIRST_COLUMNS = 2;
  private static final int LONG_ROWS = 80;

  private final SimWorld<?> world;
  private final SplittableRandom random;
  private final List<Integer> partitions;
  private final List<Program> programs = new ArrayList<>();

  /** What became of a row. */
  public enum Did {
    /** The server chose the number of an applied row. */
    NUMBER_CHOSEN,
    /** The row with the largest number was deleted. */
    LARGEST_DELETED
  }

  /** Creates a table; nothing goes wrong meanwhile. */
  @FunctionalInterface
  public interface Tables {
    /** The new table, with so many partitions. */
    TableDescription create(TableMeta table, int partitions);
  }

  private SimAutoKeys(SimWorld<?> world, SplittableRandom random, List<Integer> partitions) {
    this.world = world;
    this.random = random;
    this.partitions = List.copyOf(partitions);
    for (int i = 0; i < PROGRAMS; i++) {
      programs.add(new Program(world, "writer." + TABLE + "." + i, TABLE, new ShortDeadlines()));
    }
  }

  /** In one of so many worlds, by a chance of their own: all other worlds are what they were. */
  public static Optional<SimAutoKeys> maybe(
      SimWorld<?> world, Tables tables, TableOptions options, int oneIn) {
    SplittableRandom random = new SplittableRandom(world.seed ^ 0x4155544fL);
    if (random.nextInt(oneIn) > 0) {
      return Optional.empty();
    }
    TableDescription table =
        tables.create(
            new TableMeta(TABLE, RowFold.AUTO_SCHEMA, options), 1 + random.nextInt(PARTITIONS_MAX));
    return Optional.of(
        new SimAutoKeys(
            world, random, table.partitions().stream().map(each -> each.id()).toList()));
  }

  /** The partitions of the table. */
  public List<Integer> partitions() {
    return partitions;
  }

  /** Lets any program write some rows. */
  public void act() {
    act(programs.get(random.nextInt(PROGRAMS)));
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  public boolean isDone() {
    return programs.stream().allMatch(Program::isDone);
  }

  private RowChange change(int place, long value) {
    long largest = world.largestNumber(partitions.get(place));
    int dice = random.nextInt(10);
    PrimaryKeyValue number =
        dice < 5
            ? PrimaryKeyValue.auto()
            // Numbers that are there, and those that the server is about to choose.
            : PrimaryKeyValue.fromLong(Math.max(1, largest - 6 + random.nextInt(10)));
    PrimaryKey key =
        PrimaryKey.builder()
            .add("id", (long) place * AnyRows.IDS_PER_PARTITION + random.nextInt(FIRST_COLUMNS))
            .add("n", number)
            .build();
    Column column = new Column("v", ColumnValue.fromLong(value));
    RowExistenceExpectation expected = expected(number.isAuto());
    if (number.isAuto()) {
      Column asked = new Column(ChosenNumbers.ASKED, ColumnValue.fromLong(1));
      return new RowPutChange(key, List.of(column, asked), expected);
    }
    return dice < 7
        ? new RowPutChange(key, List.of(column), expected)
        : dice == 7
            ? new RowUpdateChange(
                key, List.of(new ColumnUpdate.Put("v", column.getValue())), expected)
            : new RowDeleteChange(key, expected);
  }

  private RowExistenceExpectation expected(boolean isAuto) {
    return random.nextInt(4) > 0
        ? RowExistenceExpectation.IGNORE
        : isAuto || random.nextBoolean()
            ? RowExistenceExpectation.EXPECT_NOT_EXIST
            : RowExistenceExpectation.EXPECT_EXIST;
  }

  /** Lets a program write some rows; the program is paused and killed now and then. */
  private void act(Program program) {
    int dice = random.nextInt(60);
    if (dice == 0) {
      program.restart();
    } else if (dice == 1) {
      program.pause(TimeUnit.MILLISECONDS.toNanos(random.nextInt(5_000)));
    }
    Durability durability = random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC;
    int place = random.nextInt(partitions.size());
    int count = random.nextInt(25) == 0 ? LONG_ROWS : 1 + random.nextInt(5);
    boolean isAtomic = random.nextInt(4) == 0;
    program
        .writer(durability)
        .write(
            new Program.Rows(
                partitions.get(place),
                count,
                isAtomic,
                !isAtomic,
                () -> value -> change(place, value)),
            this::ended);
  }

  private void ended(RowChange change, RowResult told) {
    if (told.isApplied()) {
      if (told.key().isPresent()) {
        world.count(Did.NUMBER_CHOSEN);
      } else if (change instanceof RowDeleteChange) {
        long number = change.primaryKey().getPrimaryKeyColumn("n").getValue().asLong();
        if (number == world.largestNumber(told.partition())) {
          world.count(Did.LARGEST_DELETED);
        }
      }
    }
  }

  private final class ShortDeadlines implements Program.Kind {

    @Override
    public ClientConfig client(ClientConfig base) {
      return base.withConnectDeadline(Duration.ofSeconds(1))
          .withRequestDeadline(Duration.ofMillis(300 + random.nextInt(1_500)))
          .withRetryDeadline(Duration.ofMillis(500 + random.nextInt(4_000)))
          .withWriteRetryDeadline(Duration.ofMillis(500 + random.nextInt(8_000)));
    }

    @Override
    public TableWriterConfig writer() {
      return TableWriterConfig.DEFAULTS
          .withBatchBytesMax(random.nextInt(3) == 0 ? 8_000 : 200 + random.nextInt(500))
          .withLinger(Duration.ofMillis(random.nextInt(50)));
    }
  }
}
