package io.tunnel.sdk.worker;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.ProcessRecordsInput.Extent;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.SessionControl.Assignment;
import java.util.List;

/** Makes of deliveries what a processor is given: without a token where the channel ends. */
final class Inputs {

  private Inputs() {}

  static ProcessRecordsInput of(
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
}
