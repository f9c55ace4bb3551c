package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a node may append to a log of appends and what it may say of its appends. Reads the log as
 * {@link FollowCore} does, and besides believes one kind of acknowledgement: a record that was
 * acknowledged at the next offset, with the next number and the next first position, counts, since
 * nothing lies between. So a leader answers without reading its records back.
 *
 * <p>Everything else is settled by reading. When an append fails, is acknowledged anywhere else, or
 * the log may have lost its end, the node stops appending and claims again: all records that it
 * waits for are settled when it has read its own marker. A record that was acknowledged below the
 * next offset proves that the log lost its end; the fate of the records is unknown then.
 *
 * @param <T> what the caller remembers of an append
 */
final class LeadCore<T> {

  /** What a node does with its partition. */
  public enum Role {
    /** Reads, and appends nothing. */
    FOLLOWING,
    /** Has appended a marker, and reads until the marker comes. */
    CLAIMING,
    /** The node's own marker is the newest marker that the node has read: the node appends. */
    LEADING
  }

  /** What became of an append. */
  public enum Outcome {
    /** The record counts. */
    COUNTS,
    /** The record never counts. */
    NEVER,
    /** The log lost its end, and perhaps the record; or the node waits for the record no more. */
    UNKNOWN
  }

  /**
   * An append that is settled.
   *
   * @param offset where the record counts; {@link #NOWHERE} of a record that does not count
   */
  public record Settled<T>(T what, AppendHeader header, Outcome outcome, long offset) {}

  /** The offset of a record that does not count. */
  static final long NOWHERE = -1;

  /**
   * A record that was read.
   *
   * @param settled appends of this node whose fate is known now, in their order
   */
  public record Read<T>(Verdict verdict, List<Settled<T>> settled) {}

  /** An append under way. */
  record Pending<T>(AppendHeader header, OptionalLong acknowledgedAt, T what) {

    Pending<T> acknowledged(long offset) {
      return new Pending<>(header, OptionalLong.of(offset), what);
    }
  }

  /** The state of the core, for the model of all interleavings. */
  record State<T>(FollowState follow, Role role, Optional<Long> claim, List<Pending<T>> pending) {}

  private final FollowCore follow;
  private final int appendsMax;

  /** Of one epoch, with rising numbers; the first is the next after what counts. */
  private final List<Pending<T>> pending;

  private Role role;

  /** The random bytes of the marker that the node waits for; there while CLAIMING. */
  private Optional<Long> claim;

  /**
   * A node that follows.
   *
   * @param appendsMax appends under way at most
   */
  public LeadCore(FollowState state, int appendsMax) {
    this(new State<>(state, Role.FOLLOWING, Optional.empty(), List.of()), appendsMax);
  }

  LeadCore(State<T> state, int appendsMax) {
    this.follow = new FollowCore(state.follow());
    this.role = state.role();
    this.claim = state.claim();
    this.pending = new ArrayList<>(state.pending());
    this.appendsMax = appendsMax;
  }

  State<T> state() {
    return new State<>(follow.state(), role, claim, List.copyOf(pending));
  }

  /** What was read and what counts. */
  public FollowCore follow() {
    return follow;
  }

  public Role role() {
    return role;
  }

  /** What the caller remembers of the appends under way, in their order. */
  public List<T> underWay() {
    return pending.stream().map(Pending::what).toList();
  }

  /**
   * Claims the lead, also a second time. Appends under way are settled by reading.
   *
   * @param marker random; no other marker has these bytes
   * @param nowMs the clock, in milliseconds since 1970
   * @return the header of the marker to append
   */
  public AppendHeader claim(long marker, long nowMs) {
    role = Role.CLAIMING;
    claim = Optional.of(marker);
    return AppendHeader.marker(marker, nowMs, follow.snapshot());
  }

  /**
   * Ends appending until the next claim. Appends under way are settled by reading. To be called
   * when an append may have failed, and when the log may have lost its end; a claim follows, and
   * reads everything back.
   */
  public void resign() {
    role = Role.FOLLOWING;
    claim = Optional.empty();
  }

  /**
   * Ends appending for good. The node reads nothing any more, so the fate of the appends under way
   * stays unknown.
   */
  public List<Settled<T>> abandon() {
    resign();
    List<Settled<T>> settled = new ArrayList<>();
    settleAll(Outcome.UNKNOWN, settled);
    return settled;
  }

  /**
   * Stops waiting for the oldest appends under way, up to the first that is not {@code isLate}.
   * Their fate stays unknown: a record that counts after all is read as a record of another node.
   *
   * @throws IllegalStateException while the node leads, because the numbers of appends under way
   *     would be given again
   */
  public List<Settled<T>> giveUp(Predicate<T> isLate) {
    if (role == Role.LEADING) {
      throw new IllegalStateException("a leader cannot give up " + pending.size() + " appends");
    }
    List<Settled<T>> settled = new ArrayList<>();
    while (!pending.isEmpty() && isLate.test(pending.get(0).what())) {
      Pending<T> one = pending.remove(0);
      settled.add(new Settled<>(one.what(), one.header(), Outcome.UNKNOWN, NOWHERE));
    }
    return settled;
  }

  /**
   * Whether only reading settles an append under way: the log has acknowledged the append, and not
   * at the next offset.
   */
  public boolean isInDoubt() {
    return pending.stream().anyMatch(each -> each.acknowledgedAt().isPresent());
  }

  /** Whether the node may append now. */
  public boolean mayAppend() {
    return role == Role.LEADING && pending.size() < appendsMax;
  }

  /**
   * Takes the place of a record in the log.
   *
   * @param what makes what the caller remembers, of the header
   * @return the header of the record to append, after all records before it
   * @throws IllegalStateException when the node may not append
   */
  public AppendHeader append(Kind kind, int changes, Function<AppendHeader, T> what) {
    return append(kind, end(), changes, what);
  }

  /** The position after all appends under way. */
  private long end() {
    if (pending.isEmpty()) {
      return follow.position();
    }
    AppendHeader last = pending.get(pending.size() - 1).header();
    return last.first() + last.changes();
  }

  /**
   * Takes the place of a record that raises the next position. The record counts only while no
   * record of another kind has counted.
   *
   * @throws IllegalStateException when the node may not append, or an append is under way
   */
  public AppendHeader begin(long first, Function<AppendHeader, T> what) {
    if (!pending.isEmpty()) {
      throw new IllegalStateException(
          "cannot begin at position " + first + " with " + pending.size() + " appends under way");
    }
    return append(Kind.BEGIN, first, 0, what);
  }

  private AppendHeader append(Kind kind, long first, int changes, Function<AppendHeader, T> what) {
    if (!mayAppend()) {
      throw new IllegalStateException(
          "cannot append while " + role + " with " + pending.size() + " appends under way");
    }
    FollowState.Stretch epoch = follow.newest();
    long number =
        pending.isEmpty() ? follow.number() : pending.get(pending.size() - 1).header().number();
    AppendHeader header =
        new AppendHeader(
            kind,
            epoch.epoch(),
            epoch.marker(),
            number + 1,
            first,
            changes,
            follow.snapshot(),
            Bytes.EMPTY);
    pending.add(new Pending<>(header, OptionalLong.empty(), what.apply(header)));
    return header;
  }

  /** Whether the record of an append of this node is not settled. */
  public boolean isUnderWay(AppendHeader header) {
    return pending.stream().anyMatch(each -> each.header().equals(header));
  }

  /** Whether the node waits to read this marker. */
  public boolean isClaiming(AppendHeader marker) {
    return claim.equals(Optional.of(marker.marker()));
  }

  /**
   * The log has acknowledged a record of this node.
   *
   * @param header as {@link #append} gave it
   * @return appends whose fate is known now
   */
  public List<Settled<T>> acknowledged(AppendHeader header, long offset) {
    List<Settled<T>> settled = new ArrayList<>();
    if (role != Role.LEADING || !isUnderWay(header)) {
      // Reading settles it, or has settled it.
      return settled;
    }
    if (offset < follow.next()) {
      resign();
      settleAll(Outcome.UNKNOWN, settled);
      return settled;
    }
    pending.replaceAll(each -> each.header().equals(header) ? each.acknowledged(offset) : each);
    believe(settled);
    return settled;
  }

  private void believe(List<Settled<T>> settled) {
    while (!pending.isEmpty()
        && pending.get(0).acknowledgedAt().equals(OptionalLong.of(follow.next()))) {
      long offset = follow.next();
      follow.acknowledged(pending.get(0).header());
      counts(pending.remove(0), offset, settled);
    }
  }

  private void counts(Pending<T> one, long offset, List<Settled<T>> settled) {
    settled.add(new Settled<>(one.what(), one.header(), Outcome.COUNTS, offset));
  }

  private void settleAll(Outcome outcome, List<Settled<T>> settled) {
    while (!pending.isEmpty()) {
      Pending<T> one = pending.remove(0);
      settled.add(new Settled<>(one.what(), one.header(), outcome, NOWHERE));
    }
  }

  /** Takes the record at {@code offset}. */
  public Read<T> read(long offset, AppendHeader header) {
    Verdict verdict = follow.read(offset, header);
    List<Settled<T>> settled = new ArrayList<>();
    switch (verdict) {
      case MARKER -> {
        settleAll(Outcome.NEVER, settled);
        marked(header.marker());
      }
      case COUNTS -> {
        if (!pending.isEmpty() && pending.get(0).header().equals(header)) {
          counts(pending.remove(0), offset, settled);
        }
      }
      case ENDS_EPOCH -> {
        settleAll(Outcome.NEVER, settled);
        if (role == Role.LEADING) {
          resign();
        }
      }
      case FENCED, SEEN -> {}
    }
    if (role == Role.LEADING) {
      believe(settled);
    }
    return new Read<>(verdict, settled);
  }

  /** The log has no record of a leader before {@code offset} that was not read. */
  public List<Settled<T>> skipped(long offset) {
    follow.skipped(offset);
    List<Settled<T>> settled = new ArrayList<>();
    if (role == Role.LEADING) {
      believe(settled);
    }
    return settled;
  }

  private void marked(long marker) {
    if (claim.equals(Optional.of(marker))) {
      role = Role.LEADING;
      claim = Optional.empty();
    } else if (role == Role.LEADING) {
      resign();
    }
  }
}
