package io.tunnel.sdk.worker.input;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.ProcessRecordsInput.Extent;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;

/** Makes of deliveries what a processor is given: without a token where the channel ends. */
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
   * Some records of an input, as an input of their own.
   *
   * @param isLast whether they are its last ones, and so end with its token
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
