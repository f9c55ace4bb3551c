package io.tunnel.flink.table;

import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Watermarks for the rows that a fold will show, generated before the fold, from changes: there
 * each partition has its own watermark, and a lagging partition holds the total back.
 */
final class ShownWatermarks implements WatermarkStrategy<RowData> {

  private static final long serialVersionUID = 1L;

  private final WatermarkStrategy<RowData> ofShown;
  private final ChangeFold.Shape shape;
  private final RowType kept;

  ShownWatermarks(WatermarkStrategy<RowData> ofShown, ChangeFold.Shape shape, RowType kept) {
    this.ofShown = ofShown;
    this.shape = shape;
    this.kept = kept;
  }

  @Override
  public WatermarkGenerator<RowData> createWatermarkGenerator(
      WatermarkGeneratorSupplier.Context making) {
    WatermarkGenerator<RowData> generator = ofShown.createWatermarkGenerator(making);
    int before = ChangeRows.fieldsBefore(ChangeRows.Style.FOLD);
    List<LogicalType> types = kept.getChildren();
    RowData.FieldGetter[] fields = new RowData.FieldGetter[shape.shown().size()];
    for (int i = 0; i < fields.length; i++) {
      int at = shape.shown().get(i);
      fields[i] = RowData.createFieldGetter(types.get(at).copy(true), before + at);
    }
    return new WatermarkGenerator<>() {
      @Override
      public void onEvent(RowData change, long timestamp, WatermarkOutput output) {
        GenericRowData row = new GenericRowData(fields.length);
        for (int i = 0; i < fields.length; i++) {
          row.setField(i, fields[i].getFieldOrNull(change));
        }
        generator.onEvent(row, timestamp, output);
      }

      @Override
      public void onPeriodicEmit(WatermarkOutput output) {
        generator.onPeriodicEmit(output);
      }
    };
  }

  @Override
  public TimestampAssigner<RowData> createTimestampAssigner(
      TimestampAssignerSupplier.Context making) {
    // The commit time, which the source has assigned.
    return (change, recordTimestamp) -> recordTimestamp;
  }

  @Override
  public WatermarkAlignmentParams getAlignmentParameters() {
    return ofShown.getAlignmentParameters();
  }

  @Override
  public WatermarkStrategy<RowData> withIdleness(Duration idleTimeout) {
    return new ShownWatermarks(ofShown.withIdleness(idleTimeout), shape, kept);
  }
}
