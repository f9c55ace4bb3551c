package io.tunnel.bench.flink.recovery;

import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * The job between source and sink: keeps the last row of each partition in Flink's state, so that a
 * row which is missing or comes twice after a restore is noticed, tells the watch, and fails when
 * that wants it to.
 */
final class WatchedRows extends RichMapFunction<SeenRow, Long> implements CheckpointedFunction {

  private static final long serialVersionUID = 1L;

  private transient Ordinals ordinals;
  private transient ListState<Tuple2<Integer, Long>> state;
  private transient RecoveryWatch watch;
  private transient long openedNanos;

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    ordinals = new Ordinals();
    // Each task gets all: another one may have had its partitions.
    state =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>("ordinals", Types.TUPLE(Types.INT, Types.LONG)));
    for (Tuple2<Integer, Long> last : state.get()) {
      ordinals.restore(last.f0, last.f1);
    }
  }

  @Override
  public void open(OpenContext context) {
    watch = RecoveryWatch.present();
    openedNanos = watch.nanos();
  }

  @Override
  public Long map(SeenRow row) {
    try {
      ordinals.next(row.partition(), row.ordinal());
    } catch (IllegalStateException e) {
      watch.broken(e.getMessage());
      throw e;
    }
    watch.seen(openedNanos, row);
    return row.ordinal();
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    state.clear();
    for (Map.Entry<Integer, Long> last : ordinals.lastByPartition().entrySet()) {
      state.add(Tuple2.of(last.getKey(), last.getValue()));
    }
  }
}
