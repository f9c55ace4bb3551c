package io.tunnel.it.sim.truth;

import io.tunnel.it.sim.Happening;
import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.World;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What processors are given, of what was delivered, and in which order. */
public final class ProcessorTruth {

  private final World world;
  private final Ledger ledger;

  /** A worker and a channel for each callback that runs. */
  private final Set<String> callbacks = new HashSet<>();

  ProcessorTruth(World world, Ledger ledger) {
    this.world = world;
    this.ledger = ledger;
  }

  /** A processor is given changes. */
  public Holding begin(SimWorker worker, ProcessRecordsInput input) {
    String[] parts = input.getTraceId().split("/", -1);
    ChannelTruth channel = ledger.channel(parts[0]);
    Holding holding = channel.holdings.get(Long.parseLong(parts[1]));
    Invariant.ONE_OWNER.require(holding != null, "%s: nobody holds that", input.getTraceId());
    List<StreamRecord> records = input.getRecords();
    requireWhole(records, holding);
    records = records.subList(repeated(records, holding), records.size());
    long first = records.get(0).position();
    long last = records.get(records.size() - 1).position();
    world.trace.add(worker + " processes " + first + " to " + last + " of " + holding);
    holding.begin(first, last);
    long position = first;
    for (StreamRecord each : records) {
      Invariant.ORDER_PER_CHANNEL.require(
          each.position() == position, "%s: %d comes as %d", holding, each.position(), position);
      Invariant.NO_GAP.require(
          PartitionTruth.textOf(each).equals(holding.deliveredAt(position).text()),
          "%s: position %d is given as %s",
          holding,
          position,
          each);
      position++;
    }
    String running = worker + " " + channel.channelId;
    Invariant.ORDER_PER_CHANNEL.require(
        callbacks.add(running), "%s: two callbacks at once", running);
    holding.callback = running;
    return holding;
  }

  /** A policy leaves out what failed alone. */
  public void skip(ProcessRecordsInput input) {
    String[] parts = input.getTraceId().split("/", -1);
    Holding holding = ledger.channel(parts[0]).holdings.get(Long.parseLong(parts[1]));
    for (StreamRecord each : input.getRecords()) {
      world.trace.add(holding + " leaves out " + each.position());
      holding.skip(each.position());
    }
  }

  /** Whether records are not divided any more: a single one, or an atomic batch. */
  public static boolean isUndivided(List<StreamRecord> records) {
    return records.size() == 1
        || records.get(0).atomicBatch().filter(batch -> batch.size() == records.size()).isPresent();
  }

  /** No callback begins or ends inside of an atomic batch. */
  private static void requireWhole(List<StreamRecord> records, Holding holding) {
    StreamRecord first = records.get(0);
    StreamRecord last = records.get(records.size() - 1);
    Invariant.BATCHES_ARE_WHOLE.require(
        first.atomicBatch().map(AtomicBatch::isFirst).orElse(true)
            && last.atomicBatch().map(AtomicBatch::isLast).orElse(true),
        "%s: a callback has positions %d to %d, and atomic batches %s and %s",
        holding,
        first.position(),
        last.position(),
        first.atomicBatch(),
        last.atomicBatch());
  }

  /** How many changes of an atomic batch come again, because the progress was inside of it. */
  private int repeated(List<StreamRecord> records, Holding holding) {
    int repeated = 0;
    PartitionTruth log = ledger.partition(holding.assignment.partition());
    while (repeated < records.size() - 1
        && records.get(repeated).atomicBatch().isPresent()
        && records.get(repeated).position() <= holding.assignment.checkpointed()) {
      StreamRecord again = records.get(repeated++);
      Invariant.BATCHES_ARE_WHOLE.require(
          PartitionTruth.textOf(again).equals(log.at(again.position()).text()),
          "%s: position %d comes again as %s",
          holding,
          again.position(),
          again);
    }
    return repeated;
  }

  public void failed(Holding holding) {
    callbacks.remove(holding.callback);
    holding.failed();
  }

  public void finished(Holding holding) {
    callbacks.remove(holding.callback);
    if (holding.hasEnded()) {
      world.count(Happening.PROCESSED_BY_STALE_HOLDER);
    }
    long first = holding.finish();
    if (ledger.channel(holding.assignment.channelId()).finished(holding, first)) {
      world.count(Happening.PROCESSED_TWICE);
    }
  }
}
