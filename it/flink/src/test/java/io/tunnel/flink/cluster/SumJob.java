package io.tunnel.flink.cluster;

import io.tunnel.flink.ChangeRecord;
import io.tunnel.flink.sink.TunnelSink;
import io.tunnel.flink.source.ChangeRecordDeserializationSchema;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A user's program: counts and adds all changes of a table by group, and keeps a table of the sums.
 * A change that is read twice, or not at all, makes a wrong sum for good.
 */
public final class SumJob {

  private static final TypeInformation<Tuple3<Long, Long, Long>> SUM =
      Types.TUPLE(Types.LONG, Types.LONG, Types.LONG);
  private static final Duration CHECKPOINTS = Duration.ofMillis(500);

  private SumJob() {}

  /** Arguments: endpoint, table to read, table of the sums. */
  public static void main(String[] arguments) throws Exception {
    TunnelSource<ChangeRecord> source =
        TunnelSource.builder(new ChangeRecordDeserializationSchema())
            .endpoint(arguments[0])
            .table(arguments[1])
            .build();
    TunnelSink<Tuple3<Long, Long, Long>> sink =
        TunnelSink.<Tuple3<Long, Long, Long>>builder((sum, moment) -> row(sum))
            .endpoint(arguments[0])
            .table(arguments[2])
            .build();
    var environment = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
    environment.enableCheckpointing(CHECKPOINTS.toMillis());
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "numbers")
        .uid("numbers")
        .keyBy(change -> number(change, "group"), Types.LONG)
        .process(new Sum())
        .returns(SUM)
        .uid("sum")
        .sinkTo(sink)
        .uid("sums");
    environment.execute("sums");
  }

  private static long number(ChangeRecord change, String column) {
    return change.columns().stream()
        .filter(each -> each.name().equals(column))
        .findFirst()
        .orElseThrow()
        .getColumn()
        .getValue()
        .asLong();
  }

  private static RowPutChange row(Tuple3<Long, Long, Long> sum) {
    return new RowPutChange(
        PrimaryKey.builder().add("group", sum.f0).build(),
        List.of(
            new Column("count", ColumnValue.fromLong(sum.f1)),
            new Column("sum", ColumnValue.fromLong(sum.f2))),
        RowExistenceExpectation.IGNORE);
  }

  private static final class Sum
      extends KeyedProcessFunction<Long, ChangeRecord, Tuple3<Long, Long, Long>> {

    private static final long serialVersionUID = 1;

    private transient ValueState<Tuple3<Long, Long, Long>> state;

    @Override
    public void open(org.apache.flink.api.common.functions.OpenContext context) {
      state = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", SUM));
    }

    @Override
    public void processElement(
        ChangeRecord change, Context context, Collector<Tuple3<Long, Long, Long>> out)
        throws Exception {
      Tuple3<Long, Long, Long> before = state.value();
      Tuple3<Long, Long, Long> sum =
          before == null ? Tuple3.of(context.getCurrentKey(), 0L, 0L) : before;
      sum = Tuple3.of(sum.f0, sum.f1 + 1, sum.f2 + number(change, "amount"));
      state.update(sum);
      out.collect(sum);
    }
  }
}
