package io.tunnel.sdk.read;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/** Scripted nodes in memory, with virtual time. */
final class FakeNodes implements ReadPort {

  /** A connection to a node. */
  static final class Line implements Link {
    final Endpoint node;
    final List<ReadPartition> reads = new ArrayList<>();
    final List<CompletableFuture<Frame>> readAnswers = new ArrayList<>();
    final List<Operation> asked = new ArrayList<>();
    final List<ChannelEnd> limits = new ArrayList<>();
    final Map<Integer, Long> credit = new HashMap<>();
    CompletableFuture<Frame> nextAnswer = new CompletableFuture<>();
    boolean isClosed;
    private final PushReceiver receiver;

    Line(Endpoint node, PushReceiver receiver) {
      this.node = node;
      this.receiver = receiver;
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      return request(operation, payload);
    }

    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      asked.add(operation);
      if (operation == Operation.READ_PARTITION) {
        reads.add(Json.decode(payload, ReadPartition.class));
        CompletableFuture<Frame> answer = new CompletableFuture<>();
        readAnswers.add(answer);
        return answer;
      }
      return operation == Operation.DETACH
          ? CompletableFuture.completedFuture(answer(operation, new Control.Empty()))
          : nextAnswer;
    }

    @Override
    public void push(Operation operation, byte[] payload) {
      if (operation == Operation.CREDIT) {
        Credit given = Credit.decode(payload);
        credit.merge(given.handle(), (long) given.bytes(), Long::sum);
      } else {
        limits.add(ChannelEnd.decode(payload));
      }
    }

    @Override
    public void close() {
      isClosed = true;
    }

    ReadPartition lastRead() {
      return reads.get(reads.size() - 1);
    }

    /** Answers the last READ_PARTITION. */
    void attach(int handle) {
      attach(readAnswers.size() - 1, handle);
    }

    /** Answers the READ_PARTITION of that index. */
    void attach(int read, int handle) {
      readAnswers.get(read).complete(answer(Operation.READ_PARTITION, new Attached(handle)));
    }

    /** Answers the last READ_PARTITION with an incarnation. */
    void attach(int handle, Optional<Long> incarnation) {
      readAnswers
          .get(readAnswers.size() - 1)
          .complete(answer(Operation.READ_PARTITION, new Attached(handle, incarnation)));
    }

    void refuse(RefusedException reason) {
      readAnswers.get(readAnswers.size() - 1).completeExceptionally(reason);
    }

    void answerNext(Operation operation, Control payload) {
      CompletableFuture<Frame> waiting = nextAnswer;
      nextAnswer = new CompletableFuture<>();
      waiting.complete(answer(operation, payload));
    }

    void refuseNext(RefusedException reason) {
      CompletableFuture<Frame> waiting = nextAnswer;
      nextAnswer = new CompletableFuture<>();
      waiting.completeExceptionally(reason);
    }

    /** Delivers puts of rows whose keys are their positions; returns the size in bytes. */
    int deliver(int handle, int partition, long first, int count) {
      byte[] payload = delivery(handle, partition, first, count);
      push(new Frame(Operation.DELIVER, FrameKind.PUSH, 0, payload));
      return payload.length;
    }

    void push(Frame frame) {
      receiver.pushed(frame);
    }

    void end(int handle, long position) {
      push(
          new Frame(
              Operation.END_OF_CHANNEL,
              FrameKind.PUSH,
              0,
              new ChannelEnd(handle, 0, position).encode()));
    }

    void fail(int handle, RefusedException reason) {
      push(new Frame(Operation.DELIVER, FrameKind.ERROR, handle, ErrorPayload.of(reason).encode()));
    }

    void lose() {
      readAnswers.forEach(
          answer -> answer.completeExceptionally(new ConnectionException("cut", true, null)));
      receiver.lost(new ConnectionException("cut", false, null));
    }
  }

  static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private record Task(Runnable task, long atNanos, long order) {}

  final List<Line> lines = new ArrayList<>();
  boolean areUnreachable;

  /** The failure of new connections while the nodes are unreachable. */
  ConnectionException whyUnreachable = new ConnectionException("nobody there", true, null);

  /** True while nodes answer no connection attempt. */
  boolean holdsBack;

  private boolean isEnded;
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
  private long nowNanos;
  private long order;

  private static Frame answer(Operation operation, Control payload) {
    return new Frame(operation, FrameKind.RESPONSE, 1, Json.encode(payload));
  }

  static byte[] delivery(int handle, int partition, long first, int count) {
    BatchBuilder rows = new BatchBuilder(SCHEMA, 1_024);
    for (long position = first; position < first + count; position++) {
      PrimaryKey key = PrimaryKey.builder().add("id", position).build();
      RowPutChange row =
          new RowPutChange(key, List.of(new Column("c", ColumnValue.fromLong(position))));
      if (!rows.add(row)) {
        throw new AssertionError("no room");
      }
    }
    byte[] prefix = new byte[Delivery.PREFIX_BYTES];
    Delivery.writePrefix(prefix, 0, handle, 0, first);
    byte[] batch = rows.build(partition, first, 1_000);
    ByteSink sink = new ByteSink(prefix.length + batch.length);
    sink.write(prefix, 0, prefix.length);
    sink.write(batch, 0, batch.length);
    return sink.toByteArray();
  }

  Line last() {
    return lines.get(lines.size() - 1);
  }

  /** Lets time pass, and runs the tasks that are due. */
  void pass(long nanos) {
    long untilNanos = nowNanos + nanos;
    while (!tasks.isEmpty() && tasks.peek().atNanos() <= untilNanos) {
      Task next = tasks.poll();
      nowNanos = Math.max(nowNanos, next.atNanos());
      next.task().run();
    }
    nowNanos = untilNanos;
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    if (areUnreachable) {
      return CompletableFuture.failedFuture(whyUnreachable);
    }
    if (holdsBack) {
      return new CompletableFuture<>();
    }
    Line line = new Line(node, receiver);
    lines.add(line);
    return CompletableFuture.completedFuture(line);
  }

  @Override
  public boolean execute(Runnable task) {
    if (!isEnded) {
      task.run();
    }
    return !isEnded;
  }

  @Override
  public void later(long pauseNanos, Runnable task) {
    order++;
    tasks.add(new Task(task, nowNanos + pauseNanos, order));
  }

  @Override
  public long nowNanos() {
    return nowNanos;
  }

  @Override
  public double chance() {
    return 0;
  }

  @Override
  public void close() {
    tasks.clear();
    isEnded = true;
  }
}
