package io.tunnel.it.sim;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.WriterNumber;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A writer that numbers its batches and repeats those whose answers are lost, as the SDK does: one
 * batch of a partition at a time. Now and then it gives a batch up, or waits for longer than the
 * server keeps its writers.
 */
final class SimNumberer {

  /** Writers of one partition: more than its server keeps. */
  private static final int WRITERS = 3;

  private final World world;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Lane> lanes = new ArrayList<>();

  SimNumberer(World world, SplittableRandom random, int tableId, List<Integer> partitions) {
    this.world = world;
    this.random = random;
    this.tableId = tableId;
    for (int i = 0; i < WRITERS * partitions.size(); i++) {
      int place = i % partitions.size();
      lanes.add(new Lane(i / partitions.size(), place, partitions.get(place)));
    }
  }

  /** Writes some rows as any two writers, unless a batch of theirs waits for its answer. */
  void write() {
    lanes.get(random.nextInt(lanes.size())).write(1 + random.nextInt(4));
    lanes.get(random.nextInt(lanes.size())).write(1 + random.nextInt(4));
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  /** The batches of a partition. */
  private final class Lane {
    private final long valuesFrom;
    private final int index;
    private final int partition;
    private final SimClient client;
    private Optional<Bytes> token = Optional.empty();
    private long lastNumber;
    private long appliedNumber;
    private long lastValue;
    private boolean isBusy;

    /** The values of the rows of the batch that has no answer. */
    private List<RowPutChange> rows = List.of();

    private Durability durability = Durability.FSYNC;
    private long number;
    private boolean isInDoubt;

    Lane(int writer, int index, int partition) {
      this.valuesFrom = NumberedTruth.VALUES_FROM * (writer + 1);
      this.index = index;
      this.partition = partition;
      this.client = new SimClient(world.network, world.process("numberer-" + writer + "-" + index));
    }

    void write(int count) {
      if (isBusy) {
        return;
      }
      isBusy = true;
      durability = random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC;
      boolean isConditional = random.nextInt(3) == 0;
      rows = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        PrimaryKey key = PrimaryKey.builder().add("id", SimWriter.anyId(index, random)).build();
        ColumnValue value = ColumnValue.fromLong(valuesFrom + ++lastValue);
        rows.add(new RowPutChange(key, List.of(new Column("v", value)), condition(isConditional)));
      }
      number();
    }

    private RowExistenceExpectation condition(boolean isConditional) {
      if (!isConditional) {
        return RowExistenceExpectation.IGNORE;
      }
      return random.nextBoolean()
          ? RowExistenceExpectation.EXPECT_EXIST
          : RowExistenceExpectation.EXPECT_NOT_EXIST;
    }

    /** Gives the batch the next number, of a new writer where there is none. */
    private void number() {
      if (token.isPresent()) {
        number = ++lastNumber;
        isInDoubt = false;
        send();
        return;
      }
      byte[] secret = new byte[WriterToken.SECRET_BYTES];
      random.nextBytes(secret);
      var unused =
          client
              .request(
                  Operation.OPEN_WRITER,
                  new WriterToken.Request(tableId, Bytes.copyOf(secret)).encode())
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      token = Optional.of(WriterToken.decode(answer.payload()).bytes());
                      lastNumber = 0;
                      appliedNumber = 0;
                      number();
                    } else if (isGone(cause(failure))) {
                      isBusy = false;
                    } else {
                      client.leaveAndThen(pauseNanos(), this::number);
                    }
                  });
    }

    private void send() {
      BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
      builder.setAttributes(
          new WriterNumber(token.orElseThrow(), number, appliedNumber).attributes());
      rows.forEach(builder::add);
      byte[] batch = builder.build(partition);
      byte[] payload = WriteRequest.encode(tableId, Optional.of(durability), batch);
      var unused =
          client
              .request(Operation.WRITE, payload)
              .whenComplete((answer, failure) -> answered(answer, cause(failure)));
    }

    private void answered(Frame answer, Throwable failure) {
      if (failure == null) {
        if (WriteResult.decode(answer.payload()).appliedRows() > 0) {
          appliedNumber = number;
        }
        isBusy = false;
      } else if (isGone(failure)) {
        isBusy = false;
      } else if (failure instanceof RefusedException refused
          && refused.code() == ErrorCode.WRITER_ENDED) {
        world.count(Happening.WRITER_ENDED);
        // The same writer under the date that the server tells; its numbers rise.
        token = token.map(of -> new WriterToken(of).dated(refused.writerDateMicros()).bytes());
        appliedNumber = 0;
        if (isInDoubt) {
          giveUp();
        } else {
          number();
        }
      } else {
        isInDoubt |= !(failure instanceof RefusedException refused) || !refused.retriable();
        if (isInDoubt && random.nextInt(10) == 0) {
          giveUp();
        } else {
          world.count(Happening.WRITE_REPEATED);
          client.leaveAndThen(pauseNanos(), this::send);
        }
      }
    }

    private void giveUp() {
      world.count(Happening.WRITE_IN_DOUBT);
      isBusy = false;
    }

    private boolean isGone(Throwable failure) {
      return failure instanceof RefusedException refused
          && refused.code() == ErrorCode.TABLE_NOT_FOUND;
    }

    private long pauseNanos() {
      boolean isLong = random.nextInt(6) == 0;
      return TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(isLong ? 8_000 : 200));
    }
  }
}
