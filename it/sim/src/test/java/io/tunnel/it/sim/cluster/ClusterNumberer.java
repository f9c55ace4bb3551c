package io.tunnel.it.sim.cluster;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WriterNumber;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Writers that number their batches and repeat those whose answers are lost, at whatever node leads
 * then, one batch of a partition at a time. Now and then a writer gives a batch up, waits for
 * longer than it is known, or sends a batch again that was answered.
 */
final class ClusterNumberer {

  /** Writers of each partition. */
  private static final int WRITERS = 2;

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Lane> lanes = new ArrayList<>();
  private long lastWriter;
  private boolean isCalm;

  ClusterNumberer(
      ClusterWorld world, SplittableRandom random, int tableId, List<Integer> partitions) {
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
    lanes.get(random.nextInt(lanes.size())).write(1 + random.nextInt(6));
    lanes.get(random.nextInt(lanes.size())).write(1 + random.nextInt(6));
  }

  /** Nothing goes wrong any more: each batch is repeated until it is answered. */
  void calm() {
    isCalm = true;
  }

  /** Whether each batch is answered or was given up. */
  boolean isDone() {
    return lanes.stream().noneMatch(lane -> lane.isBusy);
  }

  /** The batches of a partition. */
  private final class Lane {
    private final int place;
    private final int partition;
    private final ClusterClient client;
    private Optional<Endpoint> leader = Optional.empty();
    private Optional<Bytes> token = Optional.empty();
    private long lastNumber;
    private long appliedNumber;
    private boolean isBusy;

    /** How many rows the batch has. */
    private int count;

    /** Behind it are the values of rows under the token: order is promised under one token. */
    private long lastValue;

    /** The rows of the batch that has no answer. */
    private List<RowPutChange> rows = List.of();

    private long number;
    private boolean isInDoubt;

    Lane(int writer, int place, int partition) {
      this.place = place;
      this.partition = partition;
      this.client = new ClusterClient(world, "numberer-" + writer + "-" + place);
    }

    void write(int rowCount) {
      if (isBusy) {
        return;
      }
      isBusy = true;
      count = rowCount;
      number();
    }

    private void make() {
      boolean isConditional = random.nextInt(3) == 0;
      rows = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long id = (long) place * ClusterWriter.IDS_PER_PARTITION + random.nextInt(25);
        PrimaryKey key = PrimaryKey.builder().add("id", id).build();
        ColumnValue value = ColumnValue.fromLong(++lastValue);
        rows.add(new RowPutChange(key, List.of(new Column("v", value)), condition(isConditional)));
      }
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
        make();
        number = ++lastNumber;
        isInDoubt = false;
        send();
        return;
      }
      byte[] secret = new byte[WriterToken.SECRET_BYTES];
      random.nextBytes(secret);
      byte[] request = new WriterToken.Request(tableId, Bytes.copyOf(secret)).encode();
      var unused =
          client
              .ask(client.node(Optional.empty()), Operation.OPEN_WRITER, request)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      token = Optional.of(WriterToken.decode(answer.payload()).bytes());
                      lastValue = NumberedTruth.VALUES_FROM * ++lastWriter;
                      lastNumber = 0;
                      appliedNumber = 0;
                      number();
                    } else if (isCalm && isWithout(ClusterClient.cause(failure))) {
                      isBusy = false;
                    } else {
                      client.later(pauseNanos(), this::number);
                    }
                  });
    }

    private byte[] batch() {
      BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
      builder.setAttributes(
          new WriterNumber(token.orElseThrow(), number, appliedNumber).attributes());
      rows.forEach(builder::add);
      return builder.build(partition);
    }

    private byte[] payload(byte[] batch) {
      return WriteRequest.encode(tableId, Optional.empty(), batch);
    }

    private void send() {
      byte[] batch = batch();
      Endpoint node = client.node(leader);
      var unused =
          client
              .ask(node, Operation.WRITE, payload(batch))
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      leader = Optional.of(node);
                      written(batch, answer);
                    } else {
                      leader = ClusterClient.leader(failure);
                      failed(ClusterClient.cause(failure));
                    }
                  });
    }

    private void written(byte[] bytes, Frame answer) {
      ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
      WriteResult result = WriteResult.decode(answer.payload());
      world.count(ClusterHappening.BATCH_ANSWERED);
      world.trace.add("batch " + number + " of partition " + partition + ": " + result);
      world.watch(() -> world.truth.acknowledged(batch, result));
      if (result.appliedRows() > 0) {
        appliedNumber = number;
      }
      if (result.rejections().stream().anyMatch(each -> each.code().retriable())) {
        world.count(ClusterHappening.BATCH_APPLIED_IN_PART);
      }
      if (random.nextInt(3) == 0) {
        echo(bytes, result);
      } else {
        isBusy = false;
      }
    }

    /** A copy of an answered batch arrives late: it gets the first answer, or none. */
    private void echo(byte[] batch, WriteResult first) {
      var unused =
          client
              .ask(client.node(leader), Operation.WRITE, payload(batch))
              .whenComplete(
                  (answer, failure) -> {
                    isBusy = false;
                    if (failure == null) {
                      world.count(ClusterHappening.BATCH_REPEATED);
                      WriteResult second = WriteResult.decode(answer.payload());
                      world.watch(
                          () ->
                              Invariant.APPLIED_ONCE.require(
                                  second.equals(first),
                                  "batch %d of partition %d was answered with %s and now with %s",
                                  number,
                                  partition,
                                  first,
                                  second));
                    } else if (isEnded(ClusterClient.cause(failure))) {
                      token = Optional.empty();
                    }
                  });
    }

    private static boolean isEnded(Throwable failure) {
      return failure instanceof RefusedException refused
          && refused.code() == ErrorCode.WRITER_ENDED;
    }

    /** The level has no numbers, or this node does not know yet that the level was raised. */
    private static boolean isWithout(Throwable failure) {
      return failure instanceof RefusedException refused
          && refused.code() == ErrorCode.FEATURE_NOT_ENABLED;
    }

    private void failed(Throwable failure) {
      if (isEnded(failure)) {
        world.count(ClusterHappening.WRITER_ENDED);
        token = Optional.empty();
        if (isInDoubt) {
          giveUp();
        } else {
          client.later(pauseNanos(), this::number);
        }
        return;
      }
      isInDoubt |=
          !isWithout(failure)
              && (!(failure instanceof RefusedException refused) || !refused.retriable());
      if (isInDoubt && !isCalm && random.nextInt(10) == 0) {
        giveUp();
      } else {
        client.later(pauseNanos(), this::send);
      }
    }

    private void giveUp() {
      world.count(ClusterHappening.BATCH_IN_DOUBT);
      isBusy = false;
    }

    private long pauseNanos() {
      boolean isLong = !isCalm && random.nextInt(8) == 0;
      return TimeUnit.MILLISECONDS.toNanos(50 + random.nextInt(isLong ? 20_000 : 300));
    }
  }
}
