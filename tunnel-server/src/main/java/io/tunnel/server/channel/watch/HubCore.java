package io.tunnel.server.channel.watch;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/**
 * Which changes of a partition's log go to which watches. The log is read by two passes. The live
 * pass reads each change once for all watches that do not lag. A watch that lags, because it
 * resumes or because it had no space, goes with the catch-up pass, which reads older changes for
 * all such watches together and ends where the live pass is.
 *
 * <p>Invariant: a member was given each change up to its {@link Member#covered} that matches, once
 * and in order, and no other change. So a member may move from pass to pass, and each pass skips
 * what the member has.
 *
 * @param <T> whose members these are
 */
final class HubCore<T> {

  private final Pass<T> live;
  private Optional<Pass<T>> catchUp = Optional.empty();

  /** Members in WAITING. */
  private final Set<Member<T>> waiting = new LinkedHashSet<>();

  /** Members in PARKED that have space: their next change found no space in the server. */
  private final Set<Member<T>> starved = new LinkedHashSet<>();

  private final List<Member<T>> found = new ArrayList<>();

  /** All members, wherever they are; those of the live pass do not lag. */
  private int memberCount;

  /** Where a member is. */
  enum Place {
    /** In the live pass. */
    LIVE,
    /** In the catch-up pass. */
    CATCHING_UP,
    /** It lags, and goes with the next catch-up pass. */
    WAITING,
    /** It lags, and has no space for the next change. */
    PARKED,
    /** It has left. */
    GONE
  }

  /** A watch. */
  static final class Member<T> {
    private final T owner;
    private final List<Bytes> keys;
    private final List<Bytes> prefixes;
    private Place place = Place.PARKED;

    /** It was given everything up to here; more while a pass is further with it. */
    private long covered;

    /** Bytes that it takes yet; below 0 by one change at most. */
    private long room;

    /** The last position that it received; at most what it has. */
    private long told;

    /** What the catch-up pass had read when it came, or was notified last. */
    private long scannedRows;

    private long scannedBytes;

    private Member(T owner, List<Bytes> keys, List<Bytes> prefixes, long position) {
      this.owner = owner;
      this.keys = keys;
      this.prefixes = prefixes;
      this.covered = position;
      this.told = position;
    }

    T owner() {
      return owner;
    }

    Place place() {
      return place;
    }
  }

  /** One reading of the log, and the members that go with it. */
  static final class Pass<T> {
    private final WatchIndex<Member<T>> index = new WatchIndex<>();
    private final Set<Member<T>> members = new LinkedHashSet<>();

    /** All changes up to here were read. */
    private long position;

    /** What was read so far. */
    private long rows;

    private long bytes;

    private Pass(long position) {
      this.position = position;
    }

    /** All changes up to this position were read. */
    long position() {
      return position;
    }

    /** How many members go with it. */
    int size() {
      return members.size();
    }

    /** A member; there must be one. */
    Member<T> any() {
      return members.iterator().next();
    }

    private void add(Member<T> member, Place place) {
      member.place = place;
      member.scannedRows = rows;
      member.scannedBytes = bytes;
      members.add(member);
      index.add(member, member.keys, member.prefixes);
    }

    private void remove(Member<T> member) {
      member.covered = Math.max(member.covered, position);
      members.remove(member);
      index.remove(member, member.keys, member.prefixes);
    }
  }

  /** Takes a change for a member. */
  @FunctionalInterface
  interface Sink<T> {
    /** How many bytes of space it took; empty, and nothing was taken, when there is no memory. */
    OptionalInt take(Member<T> member);
  }

  /** What was read for a member in the catch-up pass. */
  record Scanned(long rows, long bytes) {
    static final Scanned NOTHING = new Scanned(0, 0);

    Scanned and(Scanned more) {
      return new Scanned(rows + more.rows, bytes + more.bytes);
    }
  }

  /** A member that lags no more. */
  record Joined<T>(Member<T> member, Scanned scanned) {}

  /** A hub without members, whose live pass begins after {@code position}. */
  HubCore(long position) {
    this.live = new Pass<>(position);
  }

  Pass<T> live() {
    return live;
  }

  /** The pass for members that lag, if some of them have space. */
  Optional<Pass<T>> catchUp() {
    if (catchUp.isEmpty() && !waiting.isEmpty()) {
      long first = waiting.stream().mapToLong(member -> member.covered).min().orElseThrow();
      Pass<T> next = new Pass<>(first);
      waiting.forEach(member -> next.add(member, Place.CATCHING_UP));
      waiting.clear();
      catchUp = Optional.of(next);
    }
    return catchUp;
  }

  /** A member that has everything up to {@code position}, and no space yet. */
  Member<T> join(T owner, List<Bytes> keys, List<Bytes> prefixes, long position) {
    Member<T> member = new Member<>(owner, keys, prefixes, position);
    memberCount++;
    if (position >= live.position) {
      live.add(member, Place.LIVE);
    }
    return member;
  }

  /** Forgets a member; idempotent. */
  void leave(Member<T> member) {
    if (member.place != Place.GONE) {
      memberCount--;
    }
    takeOut(member);
    member.place = Place.GONE;
  }

  private void takeOut(Member<T> member) {
    switch (member.place) {
      case LIVE -> live.remove(member);
      case CATCHING_UP -> catchUp.orElseThrow().remove(member);
      case WAITING -> waiting.remove(member);
      case PARKED -> starved.remove(member);
      case GONE -> {
        // It is nowhere.
      }
    }
    endEmpty();
  }

  /** The member takes so many bytes more. */
  void room(Member<T> member, long bytes) {
    member.room += bytes;
    if (member.place == Place.PARKED && member.room > 0) {
      starved.remove(member);
      goOn(member);
    }
  }

  private void goOn(Member<T> member) {
    if (member.covered >= live.position) {
      live.add(member, Place.LIVE);
    } else if (catchUp.isPresent() && member.covered >= catchUp.get().position) {
      catchUp.get().add(member, Place.CATCHING_UP);
    } else {
      member.place = Place.WAITING;
      waiting.add(member);
    }
  }

  /** The server may have memory again. */
  void retry() {
    List<Member<T>> all = List.copyOf(starved);
    starved.clear();
    all.forEach(this::goOn);
  }

  /**
   * A pass has come to a change. Each member that goes with it and follows the key receives the
   * change, or stays before it.
   */
  void match(Pass<T> pass, long position, byte[] array, int offset, int length, Sink<T> sink) {
    pass.index.find(array, offset, length, found::add);
    for (Member<T> member : found) {
      // Also one that follows the key by two terms, and one that has just fallen behind.
      if (position > member.covered && isIn(member, pass)) {
        give(pass, member, position, sink);
      }
    }
    found.clear();
  }

  private boolean isIn(Member<T> member, Pass<T> pass) {
    return member.place == (pass == live ? Place.LIVE : Place.CATCHING_UP);
  }

  private void give(Pass<T> pass, Member<T> member, long position, Sink<T> sink) {
    OptionalInt bytes = member.room > 0 ? sink.take(member) : OptionalInt.empty();
    if (bytes.isPresent()) {
      member.room -= bytes.getAsInt();
      member.covered = position;
      member.told = position;
      return;
    }
    pass.members.remove(member);
    pass.index.remove(member, member.keys, member.prefixes);
    member.place = Place.PARKED;
    member.covered = position - 1;
    if (member.room > 0) {
      starved.add(member);
    }
    endEmpty();
  }

  private void endEmpty() {
    if (catchUp.isPresent() && catchUp.get().members.isEmpty()) {
      catchUp = Optional.empty();
    }
  }

  /**
   * A pass has read all changes up to a position. Members of a catch-up pass that is as far as the
   * live pass continue with the live pass.
   *
   * @param rows how many rows were read for that
   * @param bytes how many bytes
   * @return the members that continue with the live pass, with what was read for it
   */
  List<Joined<T>> read(Pass<T> pass, long position, long rows, long bytes) {
    pass.position = Math.max(pass.position, position);
    pass.rows += rows;
    pass.bytes += bytes;
    if (catchUp.isEmpty() || catchUp.get().position < live.position) {
      return List.of();
    }
    Pass<T> over = catchUp.get();
    List<Joined<T>> joined = new ArrayList<>();
    for (Member<T> member : over.members) {
      joined.add(new Joined<>(member, takeScanned(member)));
      member.covered = Math.max(member.covered, over.position);
      live.add(member, Place.LIVE);
    }
    catchUp = Optional.empty();
    return joined;
  }

  /**
   * What the catch-up pass has read for a member since the last call, or since the member came;
   * nothing for a member of the live pass.
   */
  Scanned takeScanned(Member<T> member) {
    if (member.place != Place.CATCHING_UP) {
      return Scanned.NOTHING;
    }
    Pass<T> pass = catchUp.orElseThrow();
    Scanned scanned = new Scanned(pass.rows - member.scannedRows, pass.bytes - member.scannedBytes);
    member.scannedRows = pass.rows;
    member.scannedBytes = pass.bytes;
    return scanned;
  }

  /**
   * The log has no change before {@code first} any more. Removes and returns the members of the
   * pass that lack one; without such a member, the pass continues at {@code first}.
   */
  List<Member<T>> lost(Pass<T> pass, long first) {
    List<Member<T>> lost =
        pass.members.stream()
            .filter(member -> Math.max(member.covered, pass.position) < first - 1)
            .toList();
    lost.forEach(this::leave);
    pass.position = Math.max(pass.position, first - 1);
    return lost;
  }

  /** Removes and returns all members of a pass. */
  List<Member<T>> fail(Pass<T> pass) {
    List<Member<T>> failed = List.copyOf(pass.members);
    failed.forEach(this::leave);
    return failed;
  }

  /**
   * Passes on each member that has more than it was notified of, with what it has; it is notified
   * then.
   */
  void mark(ObjLongConsumer<Member<T>> marked) {
    mark(live, marked);
    catchUp.ifPresent(pass -> mark(pass, marked));
  }

  private void mark(Pass<T> pass, ObjLongConsumer<Member<T>> marked) {
    for (Member<T> member : pass.members) {
      long covered = Math.max(member.covered, pass.position);
      if (covered > member.told) {
        member.told = covered;
        marked.accept(member, covered);
      }
    }
  }

  /** How many members lack changes that the live pass has read, whether they have space or not. */
  int behind() {
    return memberCount - live.size();
  }

  /** Whether there is no member. Parked members are not known here, but for those that starve. */
  boolean isIdle() {
    return live.members.isEmpty() && catchUp.isEmpty() && waiting.isEmpty() && starved.isEmpty();
  }
}
