package io.tunnel.programs.demo;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The ledger of a whole table: a stripe per partition, whose two sides wait neither for each other
 * nor for those of other partitions.
 */
final class DemoLedger {

  private static final long LATENCY_MICROS_MAX = TimeUnit.HOURS.toMicros(1);
  private static final int EXAMPLES_MAX = 10;

  private final Map<Integer, Stripe> stripes = new HashMap<>();
  private final LongAdder arrived = new LongAdder();
  private final Recorder latencies = new Recorder(LATENCY_MICROS_MAX, 3);

  /** Since rows were given to the writer; only one in some is sampled. */
  private final Recorder sinceSent = new Recorder(LATENCY_MICROS_MAX, 3);

  private final LongAdder beforeAck = new LongAdder();
  private final SentTimes sent = new SentTimes();
  private volatile long lastArrivalNanos;

  private static final class Stripe {
    final LedgerCore ledger = new LedgerCore();
    final AckTimes acks = new AckTimes();

    /**
     * Held by the thread that consumes the channel. One thread at a time consumes it, so no thread
     * ever waits for this lock.
     */
    final Object reading = new Object();
  }

  /** An empty ledger for these partitions. */
  DemoLedger(List<PartitionInfo> partitions) {
    for (PartitionInfo partition : partitions) {
      stripes.put(partition.id(), new Stripe());
    }
  }

  /** A row has its outcome. Called in order per partition. */
  void completed(RowChange row, RowResult result, long nowNanos) {
    if (!result.isApplied()) {
      return;
    }
    Stripe stripe = stripe(result.partition());
    long key = Fingerprint.ofKey(row.primaryKey());
    stripe.ledger.acknowledged(key, Fingerprint.of(row, key));
    stripe.acks.acknowledged(result.position(), nowNanos);
  }

  /** Changes were delivered, the callback having begun at {@code nowNanos}. */
  void arrived(ProcessRecordsInput input, long nowNanos) {
    List<StreamRecord> records = input.getRecords();
    Stripe stripe = stripe(records.get(0).partition());
    synchronized (stripe.reading) {
      long sameAck = AckTimes.NOT_YET;
      int sameCount = 0;
      for (StreamRecord record : records) {
        long ack = stripe.acks.ackNanos(record.position());
        if (ack != sameAck) {
          countLatency(sameAck, sameCount, nowNanos);
          sameAck = ack;
          sameCount = 0;
        }
        sameCount++;
        long key = Fingerprint.ofKey(record.getPrimaryKey());
        long fingerprint = Fingerprint.of(record, key);
        stripe.ledger.arrived(record.position(), key, fingerprint);
        countSinceSent(sent.take(fingerprint), nowNanos);
      }
      countLatency(sameAck, sameCount, nowNanos);
    }
    arrived.add(records.size());
    lastArrivalNanos = nowNanos;
  }

  private void countSinceSent(long sentNanos, long nowNanos) {
    if (sentNanos != SentTimes.NOT_SAMPLED) {
      long micros = Math.max(0, nowNanos - sentNanos) / 1_000;
      sinceSent.recordValue(Math.min(micros, LATENCY_MICROS_MAX));
    }
  }

  /** What was delivered before its acknowledgement was seen has waited for nothing. */
  private void countLatency(long ackNanos, int rows, long nowNanos) {
    if (rows > 0) {
      if (ackNanos == AckTimes.NOT_YET) {
        beforeAck.add(rows);
      }
      long micros = ackNanos == AckTimes.NOT_YET ? 0 : Math.max(0, nowNanos - ackNanos) / 1_000;
      latencies.recordValueWithCount(Math.min(micros, LATENCY_MICROS_MAX), rows);
    }
  }

  private Stripe stripe(int partition) {
    Stripe stripe = stripes.get(partition);
    if (stripe == null) {
      throw new IllegalStateException("partition " + partition + " is none of the table's");
    }
    return stripe;
  }

  /** Changes delivered so far, duplicates included. */
  long arrivedRows() {
    return arrived.sum();
  }

  /** When the last callback began. */
  long lastArrivalNanos() {
    return lastArrivalNanos;
  }

  /** The times at which the writer got its rows. */
  SentTimes sent() {
    return sent;
  }

  /** Changes whose callback began before the acknowledgement was seen. */
  long rowsBeforeAck() {
    return beforeAck.sum();
  }

  /** Microseconds from giving a row to the writer to its callback, of a sample; one caller. */
  Histogram latenciesSinceSent() {
    return sinceSent.getIntervalHistogram();
  }

  /** Latencies in microseconds since the last call; one caller. */
  Histogram intervalLatencies() {
    return latencies.getIntervalHistogram();
  }

  /** Compares both sides, when writer and readers have ended. */
  LedgerCore.Findings compare() {
    LedgerCore.Findings all = LedgerCore.Findings.NONE;
    for (Stripe stripe : new ArrayList<>(stripes.values())) {
      synchronized (stripe.reading) {
        all = all.plus(stripe.ledger.compare(EXAMPLES_MAX), EXAMPLES_MAX);
      }
    }
    return all;
  }
}
