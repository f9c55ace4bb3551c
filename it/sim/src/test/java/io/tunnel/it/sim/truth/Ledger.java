package io.tunnel.it.sim.truth;

import io.tunnel.core.ChannelKey;
import io.tunnel.it.sim.Happening;
import io.tunnel.it.sim.SimServer;
import io.tunnel.it.sim.World;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What everybody in a world has done and was promised, seen from outside: what the log and the
 * catalog keep, what processors were given, and what {@link Wiretap} tells of frames. Breaks when
 * an invariant does.
 */
public final class Ledger {

  /** How long after an operator's request has arrived it may take effect. */
  private static final long OPERATED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);

  private static final Pattern LOST = Pattern.compile("^HISTORY_LOST: changes (\\d+) to (\\d+) of");

  private final World world;
  public final TreeMap<Integer, PartitionTruth> partitions = new TreeMap<>();
  private final TreeMap<Integer, PartitionTruth> existing = new TreeMap<>();
  public final TreeMap<String, ChannelTruth> channels = new TreeMap<>();
  public final TreeMap<String, TunnelTruth> tunnels = new TreeMap<>();
  final TreeMap<Integer, TableTruth> tables = new TreeMap<>();
  private final Map<Integer, TableTruth> tableOf = new HashMap<>();

  private final TreeMap<String, SessionTruth> sessions = new TreeMap<>();
  public final IdTruth ids = new IdTruth();
  public final ProcessorTruth processors;

  public Ledger(World world) {
    this.world = world;
    this.processors = new ProcessorTruth(world, this);
  }

  public static String epochText(long epoch) {
    return (epoch >>> 32) + "." + (epoch & 0xffffffffL);
  }

  public PartitionTruth partition(int id) {
    return partitions.computeIfAbsent(
        id,
        any -> {
          PartitionTruth partition = new PartitionTruth(id);
          existing.put(id, partition);
          return partition;
        });
  }

  private long now() {
    return world.agenda.nowNanos();
  }

  /**
   * Checkpoints are brought to a tunnel. Rows that come again then are as they are by now or as
   * they were long ago, so who applies them in order need not have the rows of the table.
   */
  void imported(String table, String tunnel) {
    tunnels.values().stream()
        .filter(each -> each.info.table().equals(table) && each.info.tunnel().equals(tunnel))
        .forEach(each -> each.hasSkipped = true);
  }

  /** An operator was told how far a tunnel is. */
  void exported(CheckpointSet set) {
    for (TunnelTruth tunnel : tunnels.values()) {
      if (tunnel.info.table().equals(set.table()) && tunnel.info.tunnel().equals(set.tunnel())) {
        for (ChannelPosition each : set.channels()) {
          channel(new ChannelKey(each.partition(), each.type()).channelId(tunnel.info.tunnelId()))
              .requireProcessed(each.position(), "is exported at");
        }
      }
    }
  }

  /** A session has begun, whose lease was renewed then. */
  void opened(String sessionId, long leaseNanos, long signNanos) {
    ids.given("session", sessionId);
    sessions.put(sessionId, new SessionTruth(leaseNanos, signNanos));
  }

  /** A session has given a sign of life. */
  void heard(String sessionId) {
    SessionTruth session = sessions.get(sessionId);
    if (session != null) {
      session.lastSignNanos = now();
    }
  }

  /** An operator does something to a tunnel that takes channels from their holders. */
  void operated(String table, String name, boolean isSeek) {
    for (ChannelTruth channel : channels.values()) {
      if (channel.tunnel.info.table().equals(table) && channel.tunnel.info.tunnel().equals(name)) {
        channel.tunnel.operatedNanos = now();
        if (isSeek) {
          channel.tunnel.soughtNanos = now();
        }
      }
    }
  }

  /** A channel is held only when all that it waits for is done. */
  void requireParents(Holding holding) {
    ChannelTruth channel = channel(holding.assignment.channelId());
    for (ChannelTruth other : channels.values()) {
      boolean isParent =
          other.tunnel == channel.tunnel
              && !channel.isBase
              && (other.isBase
                  ? other.partition == channel.partition
                  : world.machine.parents(channel.partition.id).contains(other.partition.id));
      Invariant.WAITS_FOR_PARENTS.require(
          !isParent || other.isTerminated() || channel.tunnel.soughtNanos >= 0,
          "%s is assigned, and %s is not TERMINATED",
          holding,
          other.channelId);
    }
  }

  ChannelTruth channel(String channelId) {
    ChannelTruth channel = channels.get(channelId);
    if (channel == null) {
      world.machine.learnTunnels();
      channel = channels.get(channelId);
    }
    Invariant.NOTHING_BREAKS.require(channel != null, "there is no channel %s", channelId);
    return channel;
  }

  /** The catalog has stored a table, or its removal. */
  public void stored(int tableId, Optional<TableRecord> table) {
    TableTruth known = tables.get(tableId);
    if (table.isEmpty()) {
      known.dropped(now());
      known.partitions.forEach(existing::remove);
      world.count(Happening.TABLE_DROPPED);
    } else if (known != null) {
      Invariant.IDS_STAY_UNIQUE.require(
          !known.isDropped(),
          "the id of table %d, %s, is given to table %s",
          tableId,
          known.name,
          table.get().meta().name());
      known.altered(table.get().meta().options());
      world.count(Happening.TABLE_ALTERED);
    } else {
      TableTruth next = new TableTruth(table.get());
      tables.put(tableId, next);
      for (int id : next.partitions) {
        Invariant.DROPPED_IS_GONE.require(
            tableOf.put(id, next) == null, "the id of partition %d is given again", id);
        partition(id).expires(next.ttlMicros, () -> !world.machine.wasClockSetBack());
      }
    }
  }

  /** The partitions of all tables that exist. */
  public Collection<PartitionTruth> existing() {
    return existing.values();
  }

  public TableTruth tableOf(int partition) {
    return tableOf.get(partition);
  }

  /** Whether the table of a partition was dropped. */
  public boolean isDropped(PartitionTruth partition) {
    return tableOf(partition.id).isDropped();
  }

  /** Whether changes of any table may go. */
  public boolean forgets() {
    return tables.values().stream().anyMatch(TableTruth::forgets);
  }

  /**
   * Nothing has gone that was to be kept; {@code nowMicros} is of the scale of what was learned.
   */
  public void requireKept(ChangeReader changes, long nowMicros) {
    for (PartitionTruth partition : existing()) {
      TableTruth table = tableOf.get(partition.id);
      long from = changes.firstPosition(partition.id);
      if (table.forgets() || from != partition.first()) {
        if (from > partition.first()) {
          world.count(Happening.HISTORY_TRIMMED);
        }
        partition.trimmed(
            from,
            table.forgets()
                ? nowMicros - TimeUnit.MILLISECONDS.toMicros(table.retentionMsMin())
                : Long.MIN_VALUE);
      }
    }
  }

  /** Takes in a channel that is there. */
  public void learn(TunnelInfo info, ChannelDescription view) {
    if (!channels.containsKey(view.channelId())) {
      TunnelTruth tunnel = tunnels.computeIfAbsent(info.tunnelId(), id -> new TunnelTruth(info));
      Invariant.IDS_STAY_UNIQUE.require(
          tunnel.info.table().equals(info.table()) && tunnel.info.tunnel().equals(info.tunnel()),
          "the id of %s is given to %s",
          tunnel.info,
          info);
      PartitionTruth partition = partition(view.partition());
      boolean isBase = view.type() == ChannelType.BaseData;
      info.startMs()
          .filter(ms -> !isBase)
          .ifPresent(
              ms ->
                  partition.requireSplit(
                      partition.first(), view.checkpointed(), ms, view.channelId()));
      channels.put(
          view.channelId(),
          new ChannelTruth(view.channelId(), tunnel, partition, isBase, view.checkpointed()));
    }
  }

  /** Compares what the server says of a channel with what was seen of it. */
  public void look(ChannelDescription view) {
    ChannelTruth channel = channel(view.channelId());
    channel.seen(
        view.epoch(), view.owner().orElse(""), view.status() == ChannelStatus.CLOSING, now());
    boolean isHeld = view.status() == ChannelStatus.OPEN || view.status() == ChannelStatus.CLOSING;
    for (Holding holding : channel.live()) {
      boolean isCurrent = isHeld && holding.epoch() == view.epoch();
      if (isCurrent) {
        if (view.status() == ChannelStatus.CLOSING && holding.closingNanos < 0) {
          holding.closingNanos = now();
        }
        Invariant.ONE_OWNER.require(
            view.owner().orElse("").equals(holding.assignment.sessionId()),
            "%s is said to be held by session %s",
            holding,
            view.owner().orElse("nobody"));
      } else if (view.epoch() >= holding.epoch()) {
        if (view.error().orElse("").startsWith(ErrorCode.HISTORY_LOST + "")) {
          holding.reasons.add(Holding.Reason.HISTORY_LOST);
        }
        ended(holding);
      }
    }
    Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
        channel.isBase || view.checkpointed() <= channel.partition.committed(),
        "%s is checkpointed at %d, and %d is committed",
        view.channelId(),
        view.checkpointed(),
        channel.partition.committed());
    if (view.checkpointed() != channel.checkpointed()) {
      moved(channel, view);
    }
    if (channel.isNews(view.error())) {
      stopped(channel, view);
    }
    channel.terminated(view.status() == ChannelStatus.TERMINATED, view);
    if (channel.isTerminated()) {
      world.count(Happening.TERMINATED);
    }
    Invariant.WAITS_FOR_PARENTS.require(
        view.status() != ChannelStatus.OPEN || view.waitsFor().isEmpty(),
        "%s is held and waits for %s",
        view.channelId(),
        view.waitsFor());
  }

  /**
   * A channel has an error that it did not have: reported losses must be exactly the trimmed
   * changes.
   */
  private void stopped(ChannelTruth channel, ChannelDescription view) {
    Matcher lost = LOST.matcher(view.error().orElse(""));
    if (lost.find()) {
      long first = Long.parseLong(lost.group(1));
      long last = Long.parseLong(lost.group(2));
      world.count(Happening.HISTORY_LOST);
      Invariant.KEPT_AS_PROMISED.require(
          first > view.checkpointed() && first <= last && last < channel.partition.first(),
          "%s is at %d and told that %d to %d are lost; what is kept begins at %d",
          channel.channelId,
          view.checkpointed(),
          first,
          last,
          channel.partition.first());
    }
  }

  private void moved(ChannelTruth channel, ChannelDescription view) {
    Holding holding = channel.holdings.get(view.epoch());
    world.trace.add(view.channelId() + " is checkpointed at " + view.checkpointed());
    if (holding != null && !holding.hasEnded()) {
      channel.checkpointed(view.checkpointed(), holding);
    } else if (world.machine.isStarting() && channel.isTakenBackTo(view.checkpointed())) {
      world.count(Happening.CHECKPOINT_TAKEN_BACK);
      channel.checkpointed(view.checkpointed(), null);
    } else if (world.machine.isStarting()
        && channel.isDoneByLast(view.checkpointed())
        && (channel.tunnel.soughtNanos < 0 || channel.firstMissing(view.checkpointed()) < 0)) {
      // It was stored, and then the server crashed.
      channel.checkpointed(view.checkpointed(), channel.holdings.lastEntry().getValue());
    } else {
      Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
          channel.tunnel.soughtNanos >= 0,
          "%s goes from %d to %d, and neither a holder nor an operator has moved it",
          channel.channelId,
          channel.checkpointed(),
          view.checkpointed());
      world.count(Happening.SOUGHT);
      channel.sought(view.checkpointed());
    }
  }

  /** The server has taken a channel from its holder: there must be a reason. */
  private void ended(Holding holding) {
    holding.endedNanos = now();
    if (holding.isGivenBack) {
      return;
    }
    SessionTruth session = sessions.get(holding.assignment.sessionId());
    if (session != null && now() - session.lastSignNanos >= session.leaseNanos) {
      holding.reasons.add(Holding.Reason.LEASE_ENDED);
      world.count(Happening.LEASE_ENDED);
    }
    TunnelTruth tunnel = channel(holding.assignment.channelId()).tunnel;
    if (now() - tunnel.operatedNanos < OPERATED_NANOS_MAX) {
      holding.reasons.add(Holding.Reason.OPERATOR);
    }
    long deadline = TimeUnit.MILLISECONDS.toNanos(SimServer.REVOKE_DEADLINE_MS);
    if (holding.closingNanos >= 0 && now() - holding.closingNanos >= deadline) {
      holding.reasons.add(Holding.Reason.DEADLINE_PASSED);
      world.count(Happening.DEADLINE_PASSED);
    }
    Invariant.NO_DUPLICATE_ON_GRACEFUL_MOVE.require(
        holding.mayRepeat(),
        "%s has ended, though the channel was neither given back nor lost for any reason",
        holding);
  }

  /** The server is no more. */
  public void serverDied() {
    for (ChannelTruth channel : channels.values()) {
      for (Holding holding : channel.live()) {
        holding.reasons.add(Holding.Reason.SERVER_CRASHED);
        holding.endedNanos = now();
      }
    }
    sessions.clear();
  }

  /** The catalog has stored in one write that changes were left out, by their ordinals. */
  public void skipped(String tunnelId, SortedMap<Long, SkippedChange> changes) {
    for (SkippedChange change : changes.values()) {
      String channelId = new ChannelKey(change.partition(), change.type()).channelId(tunnelId);
      channel(channelId).skipped(change.position());
      world.count(Happening.CHANGE_SKIPPED);
    }
    tunnels.get(tunnelId).skipped(changes.keySet());
  }

  /** All channels were looked at behind the last write of the catalog. */
  public void looked() {
    tunnels.values().forEach(TunnelTruth::looked);
  }

  /** Committed changes are gone. */
  public void lost(PartitionTruth partition) {
    for (ChannelTruth channel : channels.values()) {
      if (channel.partition == partition) {
        channel.lost(partition.committed());
        channel.tunnel.hasLost = true;
      }
    }
  }

  /** The server was restored, and has the tables of a backup. */
  public void restored(Map<Integer, TableRecord> stored) {
    existing.clear();
    for (TableTruth table : tables.values()) {
      TableRecord record = stored.get(table.tableId);
      if (record != null) {
        table.restored(record.meta().options());
        table.partitions.forEach(id -> existing.put(id, partition(id)));
      } else if (!table.isDropped()) {
        table.dropped(now());
      }
    }
  }

  /**
   * The restored server has a channel.
   *
   * @param skipped how many changes of its tunnel are counted as left out
   * @param fences see {@link ChannelTruth#restored}
   */
  public void restored(ChannelDescription view, long skipped, boolean fences) {
    ChannelTruth channel = channel(view.channelId());
    channel.restored(view, fences);
    channel.tunnel.restored(skipped);
  }

  /** All holdings that have not ended. */
  List<Holding> live() {
    List<Holding> live = new ArrayList<>();
    channels.values().forEach(channel -> live.addAll(channel.live()));
    return live;
  }
}
