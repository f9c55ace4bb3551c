package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.truth.ChosenNumbers;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.LockTruth;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.truth.Sums;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What everybody in a cluster was promised, compared with what the log and the stores say. */
final class ClusterTruth {

  private static final String BASE = "_base";

  /** An answer may be so old that the end of the log was lost meanwhile. */
  private static final long ANSWERED_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

  private static final String FINISHED = "\"isFinished\":true";

  private final ClusterWorld world;
  private final TreeMap<Integer, LogTruth> logs = new TreeMap<>();
  private final TreeMap<String, ChannelStory> channels = new TreeMap<>();
  private final TreeMap<String, BaseStory> bases = new TreeMap<>();

  /** By tunnel and partition, the rows that result from applying all inputs of processors. */
  private final Map<String, TreeMap<Integer, RowFold>> folds = new TreeMap<>();

  /** By tunnel's name, when the tunnel was asked for, and what had disturbed by then. */
  private final Map<String, Asked> asked = new TreeMap<>();

  private record Asked(long ms, long disturbances) {}

  private final ReadTruth reads;
  private final WrittenTruth written;

  /** Grows with everything that at-least-once allows to be an excuse. */
  private long disturbances;

  /** Number of lasting faults, which also excuse failures of work that begins during them. */
  private int lasting;

  ClusterTruth(ClusterWorld world) {
    this.world = world;
    this.reads = new ReadTruth(world, this::log);
    this.written = new WrittenTruth(world, world::count);
  }

  LogTruth log(int partition) {
    LogTruth log =
        logs.computeIfAbsent(
            partition, id -> world.logs.truth(id, this::landed, written::isNumbered));
    log.learn();
    return log;
  }

  private void landed(ClusterHappening what) {
    world.count(what);
  }

  /** What compares the frames of a cluster with what is known here. */
  SimNetwork.Tap wiretap() {
    return new ClusterWiretap(world, this);
  }

  /** What programs are told of their rows. */
  WrittenTruth written() {
    return written;
  }

  /** The promises about reads of rows. */
  ReadTruth reads() {
    return reads;
  }

  /** The story of a base channel; null for an unknown channel. */
  BaseStory base(String channelId) {
    return bases.get(channelId);
  }

  SortedMap<String, ChannelStory> channels() {
    return channels;
  }

  /** Whether all rows were processed. */
  boolean areBasesDone() {
    return bases.values().stream().allMatch(BaseStory::isTerminated);
  }

  /** All rows were processed, and who has applied them, and the changes behind, has the rows. */
  void requireBasesDone() {
    for (Map.Entry<String, BaseStory> base : bases.entrySet()) {
      Invariant.LIVENESS.require(base.getValue().isTerminated(), "%s is not done", base.getValue());
      ChannelStory behind = channels.get(base.getKey().replace(BASE, ""));
      if (behind != null && !behind.isSought()) {
        RowFold expected = behind.log().fold();
        RowFold applied = fold(base.getKey(), behind.log().partition());
        Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
            applied.rows().equals(expected.rows()),
            "%s and what is behind it leave %s instead of %s",
            base.getKey(),
            applied.rows(),
            expected.rows());
        world.count(ClusterHappening.BASE_COMPARED);
      }
    }
  }

  void disturbed() {
    disturbances++;
  }

  /** Something disturbs for so long: an excuse for what is under way, and for what begins then. */
  void disturbedFor(long nanos) {
    disturbances++;
    lasting++;
    world.agenda.after(
        nanos,
        () -> {
          disturbances++;
          lasting--;
        });
  }

  private long disturbances() {
    return lasting > 0 ? Long.MAX_VALUE : disturbances;
  }

  // Row sessions.

  /** A program uses a session that is open: the catalog's log has the session. */
  void requireKnown(RowSession session) {
    LockTruth.requireKnown(session, world::hasRowSession);
  }

  /** The close of a row session is answered. */
  void closed(long session) {
    logs.keySet().forEach(partition -> log(partition).requireClosed(session));
  }

  /** No row is left of a session that has ended. */
  void requireUnbound() {
    logs.keySet().forEach(partition -> log(partition).requireUnbound());
  }

  // Writes.

  /** A write was acknowledged. */
  void acknowledged(WriteRequest write, WriteResult result) {
    ChangeBatch batch = ChosenNumbers.chosen(write, result.firstNumber()).batch();
    LogTruth log = log(batch.partition());
    if (log.mayBeCut(world.agenda.nowNanos() - ANSWERED_NANOS_MAX, Long.MAX_VALUE)) {
      return;
    }
    List<Change> changes = PartitionTruth.changesOf(batch);
    Set<Integer> rejected = new HashSet<>();
    for (WriteResult.Rejection each : result.rejections()) {
      rejected.add(each.rowIndex());
      if (each.code().retriable()) {
        // The batch counts in part: the SDK sends these rows as the next batch.
        continue;
      }
      world.count(
          each.code() == ErrorCode.NOT_AN_INTEGER || each.code() == ErrorCode.INTEGER_OVERFLOW
              ? ClusterHappening.INCREMENT_REJECTED
              : ClusterHappening.ROW_REJECTED);
    }
    Invariant.BATCHES_ARE_WHOLE.require(
        !batch.isAtomic() || rejected.isEmpty() || result.appliedRows() == 0,
        "an atomic batch of partition %d is answered with %s",
        batch.partition(),
        result);
    if (Sums.isAskedFor(batch) && result.appliedRows() > 0) {
      world.count(ClusterHappening.INCREMENT_ANSWERED);
    }
    long position = result.firstPosition() - 1;
    int applied = 0;
    for (int i = 0; i < changes.size(); i++) {
      if (rejected.contains(i)) {
        continue;
      }
      Optional<Long> next = log.after(position);
      String text = changes.get(i).asked();
      Invariant.ACKNOWLEDGED_SURVIVES.require(
          next.isPresent() && log.at(next.get()).orElseThrow().asked().equals(text),
          "%s was acknowledged at %d of partition %d, where %s counts",
          text,
          result.firstPosition() + i,
          batch.partition(),
          next.flatMap(log::at).map(Change::text));
      Invariant.ACKNOWLEDGED_SURVIVES.require(
          next.get() == result.firstPosition() + applied,
          "%s counts at %d and was acknowledged by %s as number %d",
          text,
          next.get(),
          result,
          applied);
      applied++;
      position = next.get();
    }
    reads.acknowledged(batch.partition(), position);
  }

  // Channels.

  /** Texts became durable. */
  void stored(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith("checkpoint/")) {
            text.ifPresentOrElse(
                progress -> checkpointed(name, Long.parseLong(progress.split(" ", -1)[0])),
                () -> Optional.ofNullable(channels.get(id(name))).ifPresent(ChannelStory::deleted));
          } else if (name.startsWith("channel/")) {
            text.ifPresent(condition -> requireGoesOn(id(name), condition));
            Optional.ofNullable(bases.get(id(name)))
                .ifPresent(base -> base.terminated(text.orElse("").contains(FINISHED)));
          }
        });
  }

  /** A processor that fails again and again stops a channel, and so does lost history. */
  private void requireGoesOn(String id, String condition) {
    if (!condition.contains("\"error\"") || condition.contains(SimWorker.FAILURE)) {
      return;
    }
    if (condition.contains(ErrorCode.HISTORY_LOST + ": ")) {
      log(Integer.parseInt(id.substring(0, id.indexOf('_')))).trims().requireLost(condition);
      return;
    }
    throw Invariant.NOTHING_BREAKS.broken("%s is stopped: %s", id, condition);
  }

  /** The channel of a text. */
  static String id(String name) {
    String[] parts = name.split("/", -1);
    return parts[2].endsWith(BASE)
        ? parts[2].substring(0, parts[2].length() - BASE.length()) + "_" + parts[1] + BASE
        : parts[2] + "_" + parts[1];
  }

  private RowFold fold(String channelId, int partition) {
    String tunnel = channelId.substring(channelId.indexOf('_') + 1).replace(BASE, "");
    return folds
        .computeIfAbsent(tunnel, id -> new TreeMap<>())
        .computeIfAbsent(partition, id -> new RowFold());
  }

  private void checkpointed(String name, long position) {
    String id = id(name);
    int partition = Integer.parseInt(id.substring(0, id.indexOf('_')));
    LogTruth log = log(partition);
    ChannelStory channel = channels.get(id);
    if (id.endsWith(BASE)) {
      baseCheckpointed(id, log, position);
    } else if (channel == null) {
      channels.put(id, new ChannelStory(id, log, fold(id, partition), position));
    } else {
      channel.checkpointed(position);
      world.count(ClusterHappening.CHECKPOINTED);
    }
    world.trace.add(id + " is checkpointed at " + position);
  }

  /** Stored together with the stream channel behind it, which begins at the moment of creation. */
  private void baseCheckpointed(String id, LogTruth log, long position) {
    BaseStory base = bases.get(id);
    if (base != null) {
      base.checkpointed(position);
      return;
    }
    ChannelStory behind = channels.get(id.replace(BASE, ""));
    long since = behind == null ? 0 : behind.stored();
    Optional<PinTruth> pin = behind == null ? Optional.empty() : pin(id, log, since);
    bases.put(id, new BaseStory(id, log, fold(id, log.partition()), since, pin));
    world.count(ClusterHappening.BASE_CHANNEL);
  }

  /** A disturbed creation may be stored when the leaders have given up the rows. */
  private Optional<PinTruth> pin(String id, LogTruth log, long since) {
    return world.tunnels().stream()
        .filter(tunnel -> id.equals(log.partition() + "_" + tunnel.tunnelId() + BASE))
        .map(tunnel -> asked.get(tunnel.tunnel()))
        .filter(when -> when != null && when.disturbances() == disturbances())
        .findFirst()
        .flatMap(when -> PinTruth.of(log, since, when.ms(), () -> world.nowMicros() / 1_000));
  }

  /** A client asks for a tunnel, perhaps again. */
  void asked(String tunnel) {
    asked.putIfAbsent(tunnel, new Asked(world.nowMicros() / 1_000, disturbances()));
  }

  /** An operator moves the channels of a tunnel. */
  void sought(String tunnelId) {
    channels.forEach((id, channel) -> channel.soughtIf(id.endsWith("_" + tunnelId)));
    bases.forEach((id, base) -> base.soughtIf(id.endsWith("_" + tunnelId + BASE)));
  }

  /** A processor is given changes. */
  Runnable begin(ProcessRecordsInput input, boolean isFailing) {
    String[] parts = input.getTraceId().split("/", -1);
    if (parts[0].endsWith(BASE)) {
      return beginRows(bases.get(parts[0]), Long.parseLong(parts[1]), input, isFailing);
    }
    ChannelStory channel = channels.get(parts[0]);
    channel.log().learn();
    ChannelStory.Held held = channel.begin(Long.parseLong(parts[1]), input.getRecords());
    world.trace.add("processing of " + held);
    return () -> {
      if (isFailing) {
        channel.failed(held);
      } else if (channel.finished(held, disturbances())) {
        world.count(ClusterHappening.PROCESSED_TWICE);
      }
    };
  }

  private Runnable beginRows(
      BaseStory base, long epoch, ProcessRecordsInput input, boolean isFailing) {
    BaseStory.Held held = base.begin(epoch, input.getRecords());
    world.trace.add("processing rows of " + held);
    return () -> {
      if (isFailing) {
        base.failed(held);
      } else {
        base.finished(held);
      }
    };
  }

  /** A session has given a channel to its worker. */
  void assigned(Assignment assignment) {
    String id = assignment.channelId();
    BaseStory base = bases.get(id);
    if (base != null) {
      base.assigned(assignment.epoch(), assignment.sessionId(), assignment.checkpointed());
      return;
    }
    ChannelStory channel = channels.get(id);
    channel.log().learn();
    channel.assigned(
        assignment.epoch(), assignment.sessionId(), assignment.checkpointed(), disturbances);
    BaseStory before = bases.get(id + BASE);
    Invariant.WAITS_FOR_PARENTS.require(
        before == null || before.isTerminated(), "%s is assigned before %s is done", id, before);
  }

  /** Everything that is to be said of channels. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    bases.values().forEach(base -> lines.add(base.toString()));
    channels.values().forEach(channel -> lines.add(channel.toString()));
    return lines;
  }
}
