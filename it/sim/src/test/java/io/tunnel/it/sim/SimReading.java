package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A reader of a table's partitions without a tunnel: it keeps its positions and the changes up to
 * them, and resumes behind them after every fault of the reader or the server.
 */
public final class SimReading {

  private static final int CREDIT_BYTES = 700;
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final World world;
  private final SimProcess process;
  private final SimLoop loop;
  private final SplittableRandom random;
  private final TreeMap<Integer, Part> parts = new TreeMap<>();
  private Optional<CompletableFuture<Link>> link = Optional.empty();
  private Receiver receiver;

  /** One partition of those that it reads. */
  private static final class Part {
    private final int partition;

    /** Delivered changes since the last new start, by position. */
    private final TreeMap<Long, String> seen = new TreeMap<>();

    /** It goes on behind that; at least the last that it has seen. */
    private long position;

    /** Under which it has seen the last. */
    private Optional<Long> incarnation = Optional.empty();

    /** How often the server was restored when the first of what it has seen came. */
    private long restores;

    Part(int partition) {
      this.partition = partition;
    }

    ReadPartition request() {
      return new ReadPartition(
          partition,
          ChannelType.Stream,
          position,
          Bytes.EMPTY,
          Optional.empty(),
          Optional.empty(),
          seen.isEmpty()
              ? Optional.empty()
              : incarnation.map(number -> new KnownPosition(position, number)));
    }

    void beginAnew(long behind) {
      seen.clear();
      incarnation = Optional.empty();
      position = behind;
    }
  }

  /** A connection, and what is delivered on it. */
  private final class Receiver implements PushReceiver {
    private final Map<Integer, Part> parts = new HashMap<>();
    private final Map<Integer, Optional<Long>> incarnations = new HashMap<>();

    @Override
    public void pushed(Frame frame) {
      if (frame.operation() != Operation.DELIVER) {
        return;
      }
      if (frame.kind() == FrameKind.ERROR) {
        ErrorPayload error = ErrorPayload.decode(frame.payload());
        Optional.ofNullable(parts.remove(frame.correlationId()))
            .ifPresent(part -> refused(part, error.code()));
      } else {
        delivered(Delivery.decode(frame.payload()), frame.payload().length);
      }
    }

    private void delivered(Delivery delivery, int bytes) {
      Part part = parts.get(delivery.handle());
      delivery.batches().stream()
          .flatMap(batch -> PartitionTruth.changesOf(batch).stream())
          .filter(change -> change.record().position() > part.position)
          .forEach(change -> see(part, change));
      part.incarnation = incarnations.get(delivery.handle());
      loop.thread()
          .after(random.nextLong(20_000_000), () -> credit(this, delivery.handle(), bytes));
    }

    @Override
    public void lost(ConnectionException reason) {
      link = Optional.empty();
      List<Part> left = List.copyOf(parts.values());
      parts.clear();
      left.forEach(SimReading.this::later);
    }
  }

  SimReading(World world, List<Integer> partitions, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.process = world.process("reading");
    this.loop = new SimLoop(process.thread("loop"));
    partitions.forEach(id -> parts.put(id, new Part(id)));
    parts.values().forEach(this::later);
    probeLater();
  }

  /** A connection may break silently, so the reader probes it now and then. */
  private void probeLater() {
    loop.thread()
        .after(
            PROBE_NANOS,
            () -> {
              probe();
              probeLater();
            });
  }

  private void probe() {
    link.filter(open -> open.isDone() && !open.isCompletedExceptionally())
        .map(CompletableFuture::join)
        .ifPresent(
            open -> {
              var unused =
                  open.request(Operation.LIST_TABLES, new byte[0])
                      .whenComplete(
                          (frame, failure) -> {
                            if (failure != null) {
                              open.close();
                            }
                          });
            });
  }

  boolean isOf(SimProcess other) {
    return process == other;
  }

  private void see(Part part, PartitionTruth.Change change) {
    if (part.seen.isEmpty()) {
      part.restores = world.ledger.partition(part.partition).restores();
    }
    part.position = change.record().position();
    part.seen.put(part.position, change.text());
  }

  private void credit(Receiver receiver, int handle, int bytes) {
    if (receiver.parts.containsKey(handle)) {
      link.filter(CompletableFuture::isDone)
          .ifPresent(
              open ->
                  open.join()
                      .push(
                          Operation.CREDIT,
                          new Credit(handle, PartitionControl.EPOCH, bytes).encode()));
    }
  }

  private void later(Part part) {
    loop.thread().after(PAUSE_NANOS, () -> open(part));
  }

  private CompletableFuture<Link> link() {
    if (link.filter(open -> !open.isCompletedExceptionally()).isEmpty()) {
      receiver = new Receiver();
      link = Optional.of(SimClient.connect(world.network, process.name, loop, receiver));
    }
    return link.get();
  }

  private void open(Part part) {
    CompletableFuture<Link> open = link();
    Receiver here = receiver;
    var unused =
        open.thenCompose(
                ready -> ready.request(Operation.READ_PARTITION, Json.encode(part.request())))
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    attached(part, here, Json.decode(frame.payload(), Attached.class));
                  } else {
                    refused(part, codeOf(failure));
                  }
                });
  }

  /** The code of a refusal; BUSY, which is retried, for other failures. */
  private static ErrorCode codeOf(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof RefusedException refused ? refused.code() : ErrorCode.BUSY;
  }

  private void attached(Part part, Receiver here, Attached attached) {
    here.parts.put(attached.handle(), part);
    here.incarnations.put(attached.handle(), attached.incarnation());
    credit(here, attached.handle(), CREDIT_BYTES);
  }

  private void refused(Part part, ErrorCode code) {
    switch (code) {
      case POSITION_REPLACED -> {
        world.count(Happening.POSITION_REPLACED);
        findAgain(part);
      }
      case HISTORY_LOST -> {
        world.count(Happening.READING_LOST_HISTORY);
        findAgain(part);
      }
      case INVALID_POSITION -> findAgain(part);
      default -> later(part);
    }
  }

  /** Begins anew at the oldest change that is kept. */
  private void findAgain(Part part) {
    var unused =
        link()
            .thenCompose(
                open ->
                    open.request(
                        Operation.FIND_POSITIONS,
                        Json.encode(new FindPositions(Operator.TABLE, Optional.empty()))))
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    found(part, Json.decode(frame.payload(), FoundPositions.class));
                  }
                  later(part);
                });
  }

  private static void found(Part part, FoundPositions found) {
    found.partitions().stream()
        .filter(each -> each.partition() == part.partition)
        .forEach(each -> part.beginAnew(each.earliest()));
  }

  /** Closes the connection, and goes on with a new one. */
  void reconnect() {
    loop.execute(
        () ->
            link.filter(open -> open.isDone() && !open.isCompletedExceptionally())
                .ifPresent(
                    open -> {
                      world.count(Happening.READING_RESUMED);
                      open.join().close();
                    }));
  }

  // What must hold.

  /** It goes on behind what it knows: all of that must be there. */
  public void requireThere(ReadPartition asked) {
    Part part = parts.get(asked.partition());
    Invariant.POSITIONS_STAY.require(
        asked.known().isEmpty() || isThere(part),
        "a reader goes on behind %s of partition %d, and what it has seen is not there any more",
        asked.known(),
        asked.partition());
  }

  /**
   * It is refused for what it knows: some of that must be lost. A restored server knows nothing of
   * the incarnations that began behind the backup.
   */
  public void requireLost(ReadPartition asked) {
    Part part = parts.get(asked.partition());
    Invariant.POSITIONS_STAY.require(
        part.restores != world.ledger.partition(part.partition).restores()
            || !isThere(part)
            || hasLost(part),
        "a reader is refused with %s of partition %d, and all that it has seen is there",
        asked.known(),
        asked.partition());
  }

  /** Whether changes that it has seen were lost; a retry may have written them again since. */
  private boolean hasLost(Part part) {
    PartitionTruth truth = world.ledger.partition(part.partition);
    return part.seen.entrySet().stream()
        .anyMatch(each -> truth.wasLost(each.getKey(), each.getValue()));
  }

  private boolean isThere(Part part) {
    PartitionTruth truth = world.ledger.partition(part.partition);
    return part.seen.entrySet().stream()
        .allMatch(
            each ->
                each.getKey() <= truth.committed()
                    && truth.at(each.getKey()).text().equals(each.getValue()));
  }

  /** Whether it has seen everything there is. */
  boolean isDone() {
    return parts.values().stream()
        .allMatch(part -> part.position == world.ledger.partition(part.partition).committed());
  }

  /** It is done, and has seen what is there, without a gap. */
  void requireDone() {
    for (Part part : parts.values()) {
      long committed = world.ledger.partition(part.partition).committed();
      Invariant.LIVENESS.require(
          part.position == committed,
          "a reader of partition %d is at %d of %d",
          part.partition,
          part.position,
          committed);
      Invariant.POSITIONS_STAY.require(
          isThere(part), "a reader of partition %d has seen what is not there", part.partition);
      if (!part.seen.isEmpty()) {
        Invariant.NO_GAP.require(
            part.seen.size() == part.seen.lastKey() - part.seen.firstKey() + 1,
            "a reader of partition %d has not seen all from %d to %d",
            part.partition,
            part.seen.firstKey(),
            part.seen.lastKey());
      }
      world.count(Happening.READING_COMPARED);
    }
  }
}
