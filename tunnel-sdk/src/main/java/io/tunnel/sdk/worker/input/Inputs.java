package io.tunnel.sdk.worker.input;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.ProcessRecordsInput.Extent;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.worker.channel.ChannelLimits;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.List;

/** Makes the inputs of processors from deliveries. The last input of a channel has no token. */
public final class Inputs {

  private Inputs() {}

  public static ProcessRecordsInput of(
      Assignment assignment,
      List<Delivery> deliveries,
      List<PrimaryKeySchema> schema,
      boolean isLast) {
    ChangeBatch first = deliveries.get(0).batches().get(0);
    List<ChangeBatch> lastBatches = deliveries.get(deliveries.size() - 1).batches();
    ChangeBatch last = lastBatches.get(lastBatches.size() - 1);
    String token = isLast ? null : Long.toString(last.lastPosition());
    String traceId =
        assignment.channelId() + "/" + assignment.epoch() + "/" + deliveries.get(0).firstPosition();
    DeliveredRecords records = new DeliveredRecords(deliveries, schema);
    return new ProcessRecordsInput(
        records,
        token,
        traceId,
        assignment.channelId(),
        new Extent(first.commitMicros(), last.commitMicros(), records.byteCount()),
        assignment.type());
  }

  /**
   * Divides an input into parts within the limits. A delivery arrives uncut, and may be larger than
   * the limits. A part of a single record, or of a single atomic batch, may be larger.
   *
   * @return the index behind the last record of each part, in order
   */
  public static List<Integer> partEnds(ProcessRecordsInput whole, ChannelLimits limits) {
    int size = whole.getRecords().size();
    if (size <= limits.processRowsMax() && whole.byteCount() <= limits.processBytesMax()) {
      return List.of(size);
    }
    List<Integer> ends = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < size; ) {
      int end = unit(whole.getRecords(), i).end();
      long more = 0;
      for (StreamRecord record : whole.getRecords().subList(i, end)) {
        more += record.byteCount();
      }
      boolean isOver =
          end - from > limits.processRowsMax() || bytes + more > limits.processBytesMax();
      if (i > from && isOver) {
        ends.add(i);
        from = i;
        bytes = 0;
      }
      bytes += more;
      i = end;
    }
    ends.add(size);
    return ends;
  }

  /** The records that one callback gets together with a record: its atomic batch, or itself. */
  public static Unit unit(List<StreamRecord> records, int index) {
    return records
        .get(index)
        .atomicBatch()
        .map(
            batch ->
                new Unit(Math.max(0, index - batch.index()), index - batch.index() + batch.size()))
        .orElseGet(() -> new Unit(index, index + 1));
  }

  /**
   * Records of an input that are not divided.
   *
   * @param from index of the first
   * @param end index behind the last
   */
  public record Unit(int from, int end) {}

  /**
   * A part of an input.
   *
   * @param isLast true when the part ends with the last record, and so with the input's token
   */
  public static ProcessRecordsInput part(
      ProcessRecordsInput whole, int from, int to, boolean isLast) {
    List<StreamRecord> records = whole.getRecords().subList(from, to);
    StreamRecord first = records.get(0);
    StreamRecord last = records.get(records.size() - 1);
    long bytes = records.stream().mapToLong(StreamRecord::byteCount).sum();
    return new ProcessRecordsInput(
        records,
        isLast ? whole.getNextToken() : Long.toString(last.position()),
        whole.getTraceId() + "+" + from,
        whole.getChannelId(),
        new Extent(first.commitMicros(), last.commitMicros(), bytes),
        whole.channelType());
  }
}
