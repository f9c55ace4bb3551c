package io.tunnel.server.channel.watch;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SingleRow;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.channel.Failure;
import io.tunnel.server.channel.ration.Ration;
import io.tunnel.server.channel.watch.HubCore.Member;
import io.tunnel.server.channel.watch.HubCore.Pass;
import io.tunnel.server.channel.watch.HubCore.Scanned;
import io.tunnel.wire.KeyTerms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log of one partition for its watches. The state belongs to {@link #run}, which one
 * thread of the readers runs at a time; any thread may call the other methods, which only leave a
 * task or a wake-up.
 *
 * <p>A turn reads a slice for the live pass and one for the catch-up pass, and then lets others
 * have the thread. {@code wakes} is 0 while no run is due: a wake-up during a run changes the
 * number, so that the run continues, and none is lost.
 */
final class WatchHub {

  private static final Logger LOGGER = LoggerFactory.getLogger(WatchHub.class);
  private static final int SLICE_BYTES_MAX = 256 << 10;

  private final int partition;
  private final ChangeReader changes;
  private final Executor readers;
  private final Ration ration;
  private final WatchBudget budget;
  private final ChangeReader.CommitListener onCommit = (id, position) -> wake();
  private final AtomicInteger wakes = new AtomicInteger();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final HubCore<WatchChannel> core;
  private final Map<Member<WatchChannel>, Output> outputs = new LinkedHashMap<>();
  private volatile boolean isClosed;

  /** How many watches lagged at the end of the last turn. */
  private volatile int behind;

  /** What a slice has for one watch. */
  private static final class Output {
    private final List<byte[]> batches = new ArrayList<>();
    private int bytes;
    private long first;
    private long last;

    void add(byte[] batch, long position) {
      first = batches.isEmpty() ? position : first;
      last = position;
      bytes += batch.length;
      batches.add(batch);
    }

    WatchPage page(Scanned scanned) {
      ByteBuffer all = ByteBuffer.allocate(bytes);
      batches.forEach(all::put);
      return new WatchPage(all.array(), batches.size(), first, last, scanned);
    }
  }

  /** One row, as it is sent: encoded at the first match, once for all watches. */
  private final class Sent implements HubCore.Sink<WatchChannel> {
    private final RowCursor row;
    private final long position;
    private Optional<byte[]> whole = Optional.empty();
    private Optional<byte[]> keyOnly = Optional.empty();

    Sent(RowCursor row, long position) {
      this.row = row;
      this.position = position;
    }

    @Override
    public OptionalInt take(Member<WatchChannel> member) {
      byte[] batch = member.owner().isKeysOnly() ? keyOnly() : whole();
      if (!budget.take(batch.length)) {
        return OptionalInt.empty();
      }
      outputs.computeIfAbsent(member, unused -> new Output()).add(batch, position);
      return OptionalInt.of(batch.length);
    }

    private byte[] whole() {
      if (whole.isEmpty()) {
        whole = Optional.of(SingleRow.of(row, false));
      }
      return whole.get();
    }

    private byte[] keyOnly() {
      if (keyOnly.isEmpty()) {
        keyOnly = Optional.of(SingleRow.of(row, true));
      }
      return keyOnly.get();
    }
  }

  /** A hub that reads from the newest change on, as soon as it has a watch. */
  WatchHub(
      int partition, ChangeReader changes, Executor readers, Ration ration, WatchBudget budget) {
    this.partition = partition;
    this.changes = changes;
    this.readers = readers;
    this.ration = ration;
    this.budget = budget;
    // Before the position is asked for, so that no commit after it goes unnoticed.
    changes.subscribe(partition, onCommit);
    this.core = new HubCore<>(changes.committed(partition));
  }

  /** Begins to serve a watch that has everything up to {@code position}. */
  void join(WatchChannel watch, KeyTerms terms, long position) {
    execute(() -> watch.setMember(core.join(watch, terms.keys(), terms.prefixes(), position)));
  }

  /** Forgets a watch that has joined. */
  void leave(WatchChannel watch) {
    execute(() -> core.leave(watch.member()));
  }

  /** A watch takes so many bytes more. */
  void room(WatchChannel watch, long bytes) {
    execute(() -> core.room(watch.member(), bytes));
  }

  /** Looks for changes that found no space, and tells watches how far they are. */
  void tick(boolean isToMark) {
    execute(
        () -> {
          core.retry();
          if (isToMark) {
            core.mark((member, upTo) -> give(member, WatchPage.mark(upTo, scanned(member))));
          }
        });
  }

  private Scanned scanned(Member<WatchChannel> member) {
    return core.takeScanned(member);
  }

  /** How many watches lack changes that were read for others. */
  int behind() {
    return behind;
  }

  /** Reads no more. */
  void close() {
    isClosed = true;
    changes.unsubscribe(partition, onCommit);
  }

  private void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  private void wake() {
    if (wakes.getAndIncrement() == 0) {
      submit();
    }
  }

  private void submit() {
    try {
      readers.execute(this::run);
    } catch (RejectedExecutionException e) {
      // Too many reads wait, or the server is stopping; the next tick tries again.
      wakes.set(0);
    }
  }

  private void run() {
    int seen = wakes.get();
    boolean isMore = false;
    try {
      isMore = turn();
    } catch (RuntimeException | VirtualMachineError e) {
      LOGGER.error("watches of partition {} failed; will retry with the next change", partition, e);
    }
    if (isMore) {
      wakes.set(1);
      submit();
    } else if (!wakes.compareAndSet(seen, 0)) {
      submit();
    }
  }

  /** True when there is more to read now. */
  private boolean turn() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    if (isClosed) {
      return false;
    }
    boolean isMore = read();
    behind = core.behind();
    return isMore;
  }

  private boolean read() {
    boolean isMore = slice(core.live());
    Optional<Pass<WatchChannel>> older = core.catchUp();
    if (older.isPresent() && claimTurn(older.get())) {
      isMore |= slice(older.get());
    }
    return isMore;
  }

  /** Whether the catch-up pass may read now. */
  private boolean claimTurn(Pass<WatchChannel> pass) {
    boolean isOlder = pass.position() + 1 < changes.firstPosition(partition);
    long behind = isOlder ? Long.MAX_VALUE : changes.bytesAfter(partition, pass.position());
    WatchChannel any = pass.any().owner();
    return ration.claimTurn(
        behind,
        changes.committed(partition),
        (nanos, action) -> any.after(nanos, () -> execute(action)),
        this::wake);
  }

  /** True when there may be more to read; a pass that fails has no member left to read for. */
  private boolean slice(Pass<WatchChannel> pass) {
    try {
      return read(pass);
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      boolean isOver = pass.size() == 0;
      if (e instanceof RefusedException refused && refused.code() == ErrorCode.HISTORY_LOST) {
        lost(pass, refused);
      } else {
        fail(core.fail(pass), Failure.of(partition, e));
      }
      return !isOver;
    }
  }

  /** True when there may be more. */
  private boolean read(Pass<WatchChannel> pass) throws IOException {
    long from = pass.position();
    // Before the plan, so that the plan has every change up to there.
    long committed = changes.committed(partition);
    if (pass == core.live() && pass.size() == 0) {
      return passed(pass, committed, 0, 0);
    }
    if (from >= Math.max(committed, changes.firstPosition(partition) - 1)) {
      return passed(pass, from, 0, 0);
    }
    Extents planned = changes.plan(partition, from + 1, SLICE_BYTES_MAX);
    if (planned.isAwaited()) {
      return false;
    }
    if (planned.isEmpty()) {
      return passed(pass, committed, 0, 0);
    }
    byte[] array = new byte[planned.bytes()];
    planned.read(ByteBuffer.wrap(array));
    long rows = 0;
    for (int at = 0; at < array.length; ) {
      ChangeBatch batch = ChangeBatch.parse(array, at, array.length);
      match(pass, batch, from);
      rows += batch.rowCount();
      at += batch.byteCount();
    }
    if (pass == core.live()) {
      budget.read(rows);
    } else {
      budget.caughtUp(rows);
      ration.delivered(planned.lastPosition() - from, array.length);
    }
    passed(pass, planned.lastPosition(), rows, array.length);
    return true;
  }

  private void match(Pass<WatchChannel> pass, ChangeBatch batch, long from) {
    RowCursor row = batch.rows();
    for (long position = batch.basePosition(); row.next(); position++) {
      if (position > from) {
        Sent sent = new Sent(row, position);
        core.match(pass, position, batch.array(), row.keyOffset(), row.keyBytes(), sent);
      }
    }
  }

  private boolean passed(Pass<WatchChannel> pass, long position, long rows, long bytes) {
    // Before the members change their pass, which counts for itself what was read.
    flush();
    core.read(pass, position, rows, bytes)
        .forEach(
            joined -> give(joined.member(), WatchPage.mark(pass.position(), joined.scanned())));
    return false;
  }

  private void lost(Pass<WatchChannel> pass, RefusedException reason) {
    long before = pass.position();
    List<Member<WatchChannel>> lost = core.lost(pass, changes.firstPosition(partition));
    boolean isStuck = lost.isEmpty() && pass.position() == before;
    fail(isStuck ? core.fail(pass) : lost, reason);
  }

  private void fail(List<Member<WatchChannel>> failed, RefusedException reason) {
    // What was found before the failure comes before it.
    flush();
    failed.forEach(member -> member.owner().fail(reason));
  }

  private void flush() {
    outputs.forEach((member, output) -> give(member, output.page(scanned(member))));
    outputs.clear();
  }

  private static void give(Member<WatchChannel> member, WatchPage page) {
    member.owner().give(page);
  }
}
