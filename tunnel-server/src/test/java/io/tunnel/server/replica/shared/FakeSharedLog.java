package io.tunnel.server.replica.shared;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A shared log in memory for several nodes. Nothing happens but in {@link #step}, where chance says
 * what: entries of an append that is under way land, one after the other or interleaved with those
 * of others; an append fails, while some of its entries are left out and the rest may land much
 * later; a reader is told of some records. A node that is cut off is told nothing, and its appends
 * fail without having landed, or hang.
 */
public final class FakeSharedLog {

  private final Random random;
  private final Map<Integer, Partition> partitions = new TreeMap<>();
  private final List<Append> underWay = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  /** The log's own clock. */
  public long nowMicros = 1_000_000_000L;

  /** How likely an append fails, in percent. */
  public int failuresPercent;

  /** The log of a partition: all records ever appended, and the records that are left. */
  public static final class Partition {
    public final List<SharedLog.Stored> everything = new ArrayList<>();
    public final NavigableMap<Long, SharedLog.Stored> kept = new TreeMap<>();
    private final Map<Long, Long> deletionEnds = new HashMap<>();
    public Bytes origin = Bytes.fromHex("01");
    public int leaderEpoch;

    /**
     * Forgets everything from {@code offset} on, as an election of a replica that lacks it does.
     */
    public void truncate(long offset) {
      everything.subList((int) offset, everything.size()).clear();
      kept.tailMap(offset, true).clear();
      leaderEpoch++;
    }

    /** Behind the last record that was appended under a leader, or one before it. */
    private long endOf(int epoch) {
      return everything.stream()
          .filter(record -> record.leaderEpoch() <= epoch)
          .mapToLong(record -> record.offset() + 1)
          .max()
          .orElse(0);
    }

    public long end() {
      return everything.size();
    }

    private long firstUnrepaired() {
      ReplicaCore reader = new ReplicaCore(ReplicaState.EMPTY);
      everything.forEach(reader::read);
      return reader.unrepaired().values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
    }

    private boolean isForgotten(SharedLog.Stored record, long nowMicros, long deletionMicros) {
      if (record.entry().value().isPresent() || deletionMicros == Long.MAX_VALUE) {
        return false;
      }
      Long end = deletionEnds.putIfAbsent(record.offset(), nowMicros + deletionMicros);
      return end != null && nowMicros > end;
    }
  }

  private static final class Append {
    private final Node node;
    private final int partition;
    private final List<SharedLog.Entry> entries;
    private Optional<SharedLog.Appended> appended;

    Append(Node node, int partition, List<SharedLog.Entry> entries, SharedLog.Appended appended) {
      this.node = node;
      this.partition = partition;
      this.entries = new ArrayList<>(entries);
      this.appended = Optional.of(appended);
    }

    void tell(Optional<IOException> failure) {
      Optional<SharedLog.Appended> told = appended;
      appended = Optional.empty();
      if (!node.isGone) {
        told.ifPresent(listener -> listener.done(failure));
      }
    }
  }

  public FakeSharedLog(Random random) {
    this.random = random;
  }

  public Partition partition(int id) {
    return partitions.computeIfAbsent(id, key -> new Partition());
  }

  public Node node() {
    Node node = new Node();
    nodes.add(node);
    return node;
  }

  /** Appends at once, as a node that nobody knows of would. */
  public long land(int partition, SharedLog.Entry entry) {
    Partition log = partition(partition);
    SharedLog.Stored stored =
        new SharedLog.Stored(log.end(), nowMicros - nowMicros % 1_000, entry, log.leaderEpoch);
    log.everything.add(stored);
    log.kept.put(stored.offset(), stored);
    return stored.offset();
  }

  /** Something happens, if there is anything to happen. */
  public void step() {
    nowMicros += random.nextInt(2_000);
    if (!underWay.isEmpty() && random.nextInt(2) == 0) {
      stepAppend(underWay.get(random.nextInt(underWay.size())));
    } else if (!nodes.isEmpty()) {
      nodes.get(random.nextInt(nodes.size())).stepTail(random.nextInt(8));
    }
  }

  private void stepAppend(Append append) {
    boolean isCut = append.node.isCut;
    if (append.appended.isPresent() && (isCut || random.nextInt(100) < failuresPercent)) {
      // Some are left out; what remains may still land, later.
      append.entries.removeIf(entry -> random.nextInt(4) == 0);
      if (random.nextInt(2) == 0) {
        append.entries.clear();
      }
      append.tell(Optional.of(new IOException("no answer in time")));
    } else if (append.appended.isPresent() || random.nextInt(6) == 0) {
      for (int left = 1 + random.nextInt(4); left > 0 && !append.entries.isEmpty(); left--) {
        land(append.partition, append.entries.remove(0));
      }
    }
    if (append.entries.isEmpty()) {
      append.tell(Optional.empty());
      underWay.remove(append);
    }
  }

  /** Lets the first entries of the oldest append land. */
  public void landFirst(int count) {
    Append append = underWay.get(0);
    for (int i = 0; i < count; i++) {
      land(append.partition, append.entries.remove(0));
    }
  }

  /** Every append under way fails, and nothing of it lands. */
  public void failAll() {
    for (Append append : List.copyOf(underWay)) {
      underWay.remove(append);
      append.tell(Optional.of(new IOException("no answer in time")));
    }
  }

  /** Lets everything that is under way land, and all readers read to the end. */
  public boolean settle() {
    boolean moved = false;
    for (Append append : List.copyOf(underWay)) {
      append.entries.forEach(entry -> land(append.partition, entry));
      append.entries.clear();
      underWay.remove(append);
      append.tell(Optional.empty());
      moved = true;
    }
    for (Node node : nodes) {
      moved |= node.stepTail(1_000);
    }
    return moved;
  }

  /**
   * Of records older than {@code lagMicros} and not among the last, only the last of each key
   * stays. A deletion stays for {@code deletionMicros} after it was the last of its key for the
   * first time. Nothing behind a fenced record that is not repaired is looked at.
   */
  public void compact(long lagMicros, long deletionMicros) {
    for (Partition log : partitions.values()) {
      Map<Bytes, Long> last = new HashMap<>();
      long border = Math.min(log.end() - 1, log.firstUnrepaired());
      List<SharedLog.Stored> old =
          log.kept.values().stream()
              .filter(record -> record.timeMicros() < nowMicros - lagMicros)
              .filter(record -> record.offset() < border)
              .sorted(Comparator.comparingLong(SharedLog.Stored::offset))
              .toList();
      old.forEach(record -> last.put(record.entry().key(), record.offset()));
      for (SharedLog.Stored record : old) {
        boolean isLast = last.get(record.entry().key()) == record.offset();
        if (!isLast || log.isForgotten(record, nowMicros, deletionMicros)) {
          log.kept.remove(record.offset());
        }
      }
    }
  }

  /** The log as one node sees it. */
  public final class Node implements SharedLog {
    private final List<FakeTail> tails = new ArrayList<>();
    public boolean isCut;

    /** Whether it is not told where logs end. */
    public boolean hidesEnds;

    private boolean isGone;

    /** The node is killed: the appender hears nothing more, but its records may still land. */
    public void kill() {
      isGone = true;
      tails.clear();
      nodes.remove(this);
    }

    @Override
    public void append(int partition, List<Entry> entries, Appended appended) {
      underWay.add(new Append(this, partition, entries, appended));
    }

    @Override
    public Tail tail(TailListener listener) {
      FakeTail tail = new FakeTail(listener);
      tails.add(tail);
      return tail;
    }

    @Override
    public CompletableFuture<End> end(int partition) {
      Partition log = FakeSharedLog.this.partition(partition);
      return isCut || hidesEnds
          ? CompletableFuture.failedFuture(new IOException("cut off"))
          : CompletableFuture.completedFuture(new End(log.end(), log.origin));
    }

    @Override
    public void close() {}

    public boolean stepTail(int recordsMax) {
      boolean moved = false;
      if (!isCut) {
        for (FakeTail tail : tails) {
          moved |= tail.step(recordsMax);
        }
      }
      return moved;
    }
  }

  private final class FakeTail implements SharedLog.Tail {
    private final SharedLog.TailListener listener;
    private final Map<Integer, Long> positions = new TreeMap<>();

    /** Of the last record that was read: a new leader is asked whether its log has the record. */
    private final Map<Integer, Integer> epochs = new TreeMap<>();

    private boolean isPaused;

    FakeTail(SharedLog.TailListener listener) {
      this.listener = listener;
    }

    boolean step(int recordsMax) {
      boolean moved = false;
      for (int partition : List.copyOf(positions.keySet())) {
        if (!isPaused) {
          moved |= read(partition, recordsMax);
        }
      }
      return moved;
    }

    private boolean read(int partition, int recordsMax) {
      long from = positions.get(partition);
      Partition log = partition(partition);
      Integer epoch = epochs.get(partition);
      boolean isCutOff = epoch != null && log.endOf(epoch) < from;
      if (from > log.end() || isCutOff) {
        positions.remove(partition);
        epochs.remove(partition);
        listener.lost(partition, from, 0);
        return true;
      }
      List<SharedLog.Stored> records =
          log.kept.tailMap(from, true).values().stream().limit(recordsMax).toList();
      long next =
          records.size() < recordsMax
              ? log.end()
              : records.isEmpty() ? from : records.get(records.size() - 1).offset() + 1;
      if (next > from) {
        positions.put(partition, next);
        if (!records.isEmpty()) {
          epochs.put(partition, records.get(records.size() - 1).leaderEpoch());
        }
        listener.read(partition, from, records, next, nowMicros);
      }
      return next > from;
    }

    @Override
    public void follow(int partition, long offset) {
      positions.put(partition, offset);
      epochs.remove(partition);
    }

    @Override
    public void follow(int partition, long offset, int leaderEpoch) {
      follow(partition, offset);
      if (leaderEpoch != SharedLog.Stored.NO_EPOCH) {
        epochs.put(partition, leaderEpoch);
      }
    }

    @Override
    public void unfollow(int partition) {
      positions.remove(partition);
    }

    @Override
    public void pause() {
      isPaused = true;
    }

    @Override
    public void resume() {
      isPaused = false;
    }

    @Override
    public void close() {
      positions.clear();
    }
  }
}
