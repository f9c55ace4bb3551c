package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.history.ModelLog.Origin;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Role;
import io.tunnel.server.replica.shared.ReplicaCore.Verdict;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A replica with its rows on a disk. Each decision of its {@link ReplicaCore} is compared with the
 * {@link ModelLog}.
 */
final class ModelNode {

  private final ModelLog log;
  private ReplicaCore core = new ReplicaCore(ReplicaState.EMPTY);
  private Map<Bytes, Bytes> rows = new TreeMap<>();

  /** What it could say of the records again. */
  private EpochHistory epochHistory = EpochHistory.START;

  /** When the node last had read all records, or began empty. */
  private long freshTime;

  private ReplicaState storedState = ReplicaState.EMPTY;
  private Map<Bytes, Bytes> storedRows = Map.of();
  private EpochHistory storedHistory = EpochHistory.START;
  private long storedFreshTime;

  /** The append that is under way, and how many of its entries were read back. */
  private Origin underWay = new Origin(-1, 0, 0);

  private int acknowledged;

  /** Appends whose rest never counts, as the node said. */
  private final Map<Integer, Integer> settledByAppend;

  /** Whether the outcome of the append that is under way is unknown: it has to claim again. */
  private boolean isInDoubt;

  private final Set<Long> ownMarkers = new HashSet<>();

  /** The epoch of its own appends, until a hole or another marker is read; -1 then. */
  private long ownEpoch = -1;

  ModelNode(ModelLog log, Map<Integer, Integer> settledByAppend) {
    this.log = log;
    this.settledByAppend = settledByAppend;
    freshTime = log.now();
    storedFreshTime = freshTime;
  }

  ReplicaCore core() {
    return core;
  }

  boolean mayAppend() {
    return core.role() == Role.LEADING && !core.isAppending() && !isInDoubt;
  }

  boolean hasToClaim() {
    return isInDoubt && core.role() == Role.LEADING;
  }

  boolean isAtEnd() {
    return core.next() == log.end();
  }

  /** An append of this node begins. */
  void begins(Origin first) {
    underWay = first;
    acknowledged = 0;
  }

  /** It is not known what became of the append. */
  void doubts() {
    isInDoubt = true;
  }

  void claim(Bytes value) {
    core.claim(value);
  }

  Bytes value(Bytes key) {
    return rows.getOrDefault(key, Bytes.EMPTY);
  }

  /** Reads some records, and sometimes learns that the last record is the end. */
  void read(int count, boolean isToldNext) {
    List<Stored> records = log.read(core.next(), count);
    ReplicaCore shadow = new ReplicaCore(core.state());
    for (Stored record : records) {
      if (record.offset() > core.next() && isStale()) {
        wipe();
        return;
      }
      if (record.offset() >= log.compactableTo()) {
        core.wholeFromHere();
        shadow.wholeFromHere();
      }
      Verdict verdict = take(record);
      assertThat(shadow.read(record)).as("read by one that went on").isEqualTo(verdict);
    }
    long next = log.nothingBefore(core.next());
    if (isToldNext && next > core.next()) {
      if (isStale()) {
        wipe();
        return;
      }
      boolean wasUnderWay = core.isAppending();
      core.skipTo(next);
      ownEpoch = -1;
      epochHistory = epochHistory.skipped();
      shadow.skipTo(next);
      givesUp(wasUnderWay);
    }
    agree(shadow);
    if (isAtEnd()) {
      freshTime = log.now();
      check();
    }
  }

  /**
   * A replica that was stored and restored is the same, but for what it was told of young records:
   * so fewer changes may be whole, and fewer keys doubtful.
   */
  private void agree(ReplicaCore other) {
    ReplicaState state = core.state();
    ReplicaState same = other.state();
    assertThat(same.wholeFrom()).isGreaterThanOrEqualTo(state.wholeFrom());
    assertThat(state.unrepaired()).containsAllEntriesOf(same.unrepaired());
    assertThat(List.of(same.next(), same.epoch(), same.standing(), same.sequence()))
        .isEqualTo(List.of(state.next(), state.epoch(), state.standing(), state.sequence()));
  }

  /** Deletions that it has not read may be forgotten by the log. */
  private boolean isStale() {
    return log.now() > freshTime + ModelLog.DELETE_RETENTION;
  }

  private Verdict take(Stored record) {
    boolean isHole = record.offset() > core.next();
    boolean wasLeading = core.role() == Role.LEADING;
    boolean isOld = record.offset() < core.next();
    epochHistory = isHole ? epochHistory.skipped() : epochHistory;
    ownEpoch = isHole ? -1 : ownEpoch;
    Verdict verdict = core.read(record);
    epochHistory = isOld ? epochHistory : epochHistory.read(record, core);
    assertThat(isOld).isEqualTo(verdict == Verdict.SEEN);
    if (record.offset() >= core.wholeFrom()) {
      assertThat(verdict).as("what %d is", record.offset()).isEqualTo(truth(record));
    }
    Entry entry = record.entry();
    if (verdict == Verdict.CHANGE || verdict == Verdict.REPAIR) {
      entry
          .value()
          .ifPresentOrElse(value -> rows.put(entry.key(), value), () -> rows.remove(entry.key()));
      if (core.epoch() == ownEpoch && entry.epoch() == ownEpoch) {
        acknowledge(record);
      }
    }
    if (verdict == Verdict.MARKER) {
      ownEpoch = core.role() == Role.LEADING ? record.offset() : -1;
    }
    if (verdict == Verdict.MARKER && core.role() == Role.LEADING) {
      assertThat(core.epoch()).isEqualTo(record.offset());
      ownMarkers.add(record.offset());
      isInDoubt = false;
      settle();
    }
    if (wasLeading && core.role() != Role.LEADING) {
      if (isHole) {
        givesUp(true);
      } else {
        settle();
      }
    }
    if (isHole) {
      givesUp(true);
    }
    return verdict;
  }

  private Verdict truth(Stored record) {
    if (!log.counts(record.offset())) {
      return Verdict.FENCED;
    }
    return switch (record.entry().kind()) {
      case CHANGE -> Verdict.CHANGE;
      case REPAIR -> Verdict.REPAIR;
      case MARKER -> Verdict.MARKER;
      case NEWER -> throw new AssertionError("no node of this world is newer");
    };
  }

  private void acknowledge(Stored record) {
    Origin origin = log.origin(record.offset());
    assertThat(log.counts(record.offset())).as("acknowledged %d", record.offset()).isTrue();
    assertThat(ownMarkers).contains(record.entry().epoch());
    assertThat(origin.append()).isEqualTo(underWay.append());
    assertThat(origin.index()).as("of one append a beginning").isEqualTo(acknowledged);
    acknowledged++;
  }

  /** What was not read back never counts. */
  private void settle() {
    if (underWay.append() >= 0 && acknowledged < underWay.size()) {
      settledByAppend.put(underWay.append(), acknowledged);
    }
    underWay = new Origin(-1, 0, 0);
  }

  /** Nobody can say what became of it. */
  private void givesUp(boolean wasUnderWay) {
    if (wasUnderWay && core.role() != Role.LEADING) {
      underWay = new Origin(-1, 0, 0);
      isInDoubt = false;
    }
  }

  /**
   * A reader that has read everything has the rows that count, and knows what is to be repaired.
   * Where the log forgets deletions, it may have a row of a fenced record, but has it among those.
   */
  void check() {
    Map<Bytes, Bytes> expected = new TreeMap<>(log.rows());
    Map<Bytes, Bytes> actual = new TreeMap<>(rows);
    if (log.forgetsDeletions()) {
      expected.keySet().removeAll(log.unrepaired().keySet());
      actual.keySet().removeAll(log.unrepaired().keySet());
    }
    assertThat(actual).as("rows").isEqualTo(expected);
    assertThat(core.unrepaired().keySet()).containsAll(log.unrepaired().keySet());
    assertThat(core.epoch()).isEqualTo(log.epoch());
  }

  /**
   * A channel that wants the changes from {@code position} on, and has to be given them from the
   * shared log, gets all that count, or is told that some are lost; also of the oldest parts.
   *
   * @return how many it got; negative when it was told that some are lost
   */
  int readAgain(long position, int recordsMax) {
    int got = 0;
    long at = position;
    while (at < core.next()) {
      if (at < epochHistory.from()) {
        return -1;
      }
      PageCore page =
          new PageCore(new HistoryCore.Fetch(1, 1, at, core.next(), 0), 150 * recordsMax, 1 << 20);
      List<Stored> records = log.read(at, recordsMax);
      long end = records.size() < recordsMax ? log.end() : records.get(recordsMax - 1).offset() + 1;
      boolean isDone = page.read(judgeOnly(records), end, epochHistory);
      HistoryPage read = page.page();
      if (read.refusal().isPresent()) {
        assertThat(isDone).isTrue();
        assertThat(log.read(at, 1).stream().anyMatch(stored -> stored.offset() == read.from()))
            .as("position %d is refused", at)
            .isFalse();
        assertThat(log.kind(at)).as("position %d is refused", at).isNotEqualTo(Kind.MARKER);
        return -1;
      }
      got += requireTrue(read);
      at = read.next();
    }
    return got;
  }

  /** The values of the model are no rows. */
  private static List<Stored> judgeOnly(List<Stored> records) {
    return records.stream()
        .map(
            stored -> {
              Entry entry = stored.entry();
              return new Stored(
                  stored.offset(),
                  stored.timeMicros(),
                  new Entry(
                      entry.kind(),
                      entry.key(),
                      entry.epoch(),
                      entry.sequence(),
                      java.util.Optional.empty()));
            })
        .toList();
  }

  private int requireTrue(HistoryPage page) {
    Set<Long> found = new HashSet<>();
    for (ChangeBatch batch : page.batches()) {
      for (long at = batch.basePosition(); at <= batch.lastPosition(); at++) {
        found.add(at);
      }
    }
    Set<Long> expected = new HashSet<>();
    for (long at = page.from(); at < page.next(); at++) {
      if (log.counts(at) && log.kind(at) == Kind.CHANGE) {
        expected.add(at);
      }
    }
    assertThat(found).as("page %d to %d", page.from(), page.next()).isEqualTo(expected);
    return found.size();
  }

  /** From where on it can be read again. */
  long knownFrom() {
    return epochHistory.from();
  }

  /** Whether only fenced records need a repair. */
  boolean isSureOfRepairs() {
    return core.unrepaired().equals(log.unrepaired());
  }

  void store() {
    storedState = core.state();
    storedRows = Map.copyOf(rows);
    storedHistory = epochHistory;
    storedFreshTime = freshTime;
  }

  /** Dies, and goes on from its disk. */
  void restart() {
    core = new ReplicaCore(storedState);
    ownEpoch = -1;
    rows = new TreeMap<>(storedRows);
    epochHistory = storedHistory;
    freshTime = storedFreshTime;
    underWay = new Origin(-1, 0, 0);
    isInDoubt = false;
  }

  /** Its disk is lost. */
  void wipe() {
    storedState = ReplicaState.EMPTY;
    storedRows = Map.of();
    storedHistory = EpochHistory.START;
    storedFreshTime = log.now();
    restart();
  }

  boolean leadsByLog() {
    return core.role() == Role.LEADING && core.epoch() == log.epoch();
  }

  boolean isOwnMarker(long offset) {
    return ownMarkers.contains(offset);
  }

  static Entry marker(Bytes value) {
    return new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, java.util.Optional.of(value));
  }
}
