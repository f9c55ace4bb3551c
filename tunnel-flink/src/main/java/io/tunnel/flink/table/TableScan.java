package io.tunnel.flink.table;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.flink.source.TunnelSourceBuilder;
import io.tunnel.flink.table.ChangeRows.Style;
import io.tunnel.flink.table.row.KeyText;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.TunnelType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.ScanTableSource.ScanContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;

/**
 * The operators of a scan: the source and, for a full changelog, the fold of each key. A scan of
 * rows with a small limit reads a range instead.
 *
 * @param stored the columns of the SQL table
 * @param projected the indexes of the queried columns, in order
 */
record TableScan(
    TunnelOptions table,
    TableLayout stored,
    List<Integer> projected,
    ScanPlan plan,
    TableScan.Wanted wanted) {

  /** The largest limit to read as a range; more rows are read faster by all readers in parallel. */
  private static final long RANGE_ROWS_MAX = 100_000;

  /**
   * The requests of a query beside columns.
   *
   * @param metadata the metadata columns, behind the other columns
   * @param limit the most rows of the result
   * @param watermarks the watermark strategy
   * @param type the type of the rows, with metadata
   */
  record Wanted(
      List<Metadata> metadata,
      OptionalLong limit,
      Optional<WatermarkStrategy<RowData>> watermarks,
      DataType type) {
    Wanted {
      metadata = List.copyOf(metadata);
      Objects.requireNonNull(limit, "limit");
      Objects.requireNonNull(watermarks, "watermarks");
      Objects.requireNonNull(type, "type");
    }

    static Wanted all(DataType type) {
      return new Wanted(List.of(), OptionalLong.empty(), Optional.empty(), type);
    }

    Wanted withMetadata(List<Metadata> columns) {
      return new Wanted(columns, limit, watermarks, type);
    }

    Wanted withLimit(long rows) {
      return new Wanted(metadata, OptionalLong.of(rows), watermarks, type);
    }

    Wanted withWatermarks(WatermarkStrategy<RowData> strategy) {
      return new Wanted(metadata, limit, Optional.of(strategy), type);
    }

    Wanted withType(DataType produced) {
      return new Wanted(metadata, limit, watermarks, produced);
    }
  }

  TableScan {
    projected = List.copyOf(projected);
  }

  DataStreamScanProvider provider(
      ScanContext planning, ReadableConfig options, ReadableConfig session) {
    Optional<Integer> parallelism = options.getOptional(FactoryUtil.SOURCE_PARALLELISM);
    Operators operators = operators(planning, session);
    return new DataStreamScanProvider() {
      @Override
      public DataStream<RowData> produceDataStream(
          ProviderContext naming, StreamExecutionEnvironment environment) {
        return operators.build(naming, environment, parallelism);
      }

      @Override
      public boolean isBounded() {
        return plan.isBounded();
      }

      @Override
      public Optional<Integer> getParallelism() {
        return parallelism;
      }
    };
  }

  /** Puts the operators of a scan into a job. */
  @FunctionalInterface
  private interface Operators {
    DataStream<RowData> build(
        ProviderContext naming,
        StreamExecutionEnvironment environment,
        Optional<Integer> parallelism);
  }

  private Operators operators(ScanContext planning, ReadableConfig session) {
    TypeInformation<RowData> produced = planning.createTypeInformation(wanted.type());
    boolean isRange =
        plan.mode() == ScanMode.BASE
            && wanted.metadata().isEmpty()
            && wanted.watermarks().isEmpty()
            && wanted.limit().isPresent()
            && wanted.limit().getAsLong() <= RANGE_ROWS_MAX;
    if (isRange) {
      return range(produced);
    }
    if (plan.mode() != ScanMode.BASE && plan.changelog() == ScanChangelog.FULL) {
      return folded(planning, session, produced);
    }
    Style style =
        plan.mode() != ScanMode.BASE && plan.changelog() == ScanChangelog.UPSERT
            ? Style.UPSERT
            : Style.APPEND;
    TunnelSource<RowData> source = source(rows(stored.project(projected), style, produced));
    WatermarkStrategy<RowData> watermarks =
        wanted.watermarks().orElse(WatermarkStrategy.noWatermarks());
    return (naming, environment, parallelism) ->
        read(source, watermarks, naming, environment, parallelism);
  }

  private Operators range(TypeInformation<RowData> produced) {
    RangeRows rows =
        new RangeRows(
            table, declaredKey(), stored.project(projected), wanted.limit().getAsLong(), produced);
    return (naming, environment, parallelism) -> {
      var once =
          environment
              .fromSource(
                  new NumberSequenceSource(1, 1), WatermarkStrategy.noWatermarks(), name(" once"))
              .setParallelism(1);
      naming.generateUid("tunnel-once").ifPresent(once::uid);
      var first = once.flatMap(rows).returns(produced).setParallelism(1).name(name(" range"));
      naming.generateUid("tunnel-range").ifPresent(first::uid);
      return first;
    };
  }

  private Operators folded(
      ScanContext planning, ReadableConfig session, TypeInformation<RowData> produced) {
    FoldLayout fold = new FoldLayout(stored, projected, wanted.metadata());
    TypeInformation<RowData> changes = planning.createTypeInformation(fold.changeType());
    TypeInformation<RowData> kept = planning.createTypeInformation(fold.keptType());
    TunnelSource<RowData> source = source(rows(fold.layout(), Style.FOLD, changes));
    WatermarkStrategy<RowData> watermarks =
        wanted
            .watermarks()
            .<WatermarkStrategy<RowData>>map(
                strategy -> new ShownWatermarks(strategy, fold.shape(), fold.keptType()))
            .orElse(WatermarkStrategy.noWatermarks());
    ChangeFold folding =
        new ChangeFold(
            fold.shape(), kept, session.get(ExecutionConfigOptions.IDLE_STATE_RETENTION));
    KeyText keys = new KeyText(fold.layout(), ChangeRows.fieldsBefore(Style.FOLD));
    return (naming, environment, parallelism) -> {
      DataStream<RowData> read = read(source, watermarks, naming, environment, parallelism);
      SingleOutputStreamOperator<RowData> rows =
          read.keyBy(keys).process(folding).returns(produced).name(name(" by key"));
      parallelism.ifPresent(rows::setParallelism);
      naming.generateUid("tunnel-fold").ifPresent(rows::uid);
      return rows;
    };
  }

  private ChangeRows rows(TableLayout layout, Style style, TypeInformation<RowData> type) {
    return new ChangeRows(table.table(), declaredKey(), layout, wanted.metadata(), style, type);
  }

  private TableLayout declaredKey() {
    return stored.project(stored.keyIndexes());
  }

  private DataStream<RowData> read(
      TunnelSource<RowData> source,
      WatermarkStrategy<RowData> watermarks,
      ProviderContext naming,
      StreamExecutionEnvironment environment,
      Optional<Integer> parallelism) {
    SingleOutputStreamOperator<RowData> read =
        environment.fromSource(source, watermarks, name(""), source.getProducedType());
    parallelism.ifPresent(read::setParallelism);
    naming.generateUid("tunnel-source").ifPresent(read::uid);
    return read;
  }

  private String name(String what) {
    return "tunnel table " + table.table() + what;
  }

  private TunnelSource<RowData> source(ChangeRows rows) {
    TunnelSourceBuilder<RowData> source =
        TunnelSource.builder(rows)
            .endpoint(table.endpoint())
            .table(table.table())
            .type(
                switch (plan.mode()) {
                  case BASE -> TunnelType.BaseData;
                  case STREAM -> TunnelType.Stream;
                  case BASE_AND_STREAM -> TunnelType.BaseAndStream;
                })
            .startAt(plan.start())
            .endAt(plan.end())
            .readerBytesMax(plan.readerBytesMax());
    if (plan.mode() != ScanMode.BASE) {
      // Reading rows makes no progress in changes, and a table may be scanned in both ways.
      plan.tunnel().ifPresent(source::reportTo);
    }
    return source.build();
  }

  /** The layouts of a fold: the key, then the further queried columns, then metadata. */
  private record FoldLayout(TableLayout stored, List<Integer> projected, List<Metadata> metadata) {

    private List<Integer> work() {
      List<Integer> work = new ArrayList<>(stored.keyIndexes());
      projected.stream().filter(index -> !work.contains(index)).forEach(work::add);
      return work;
    }

    TableLayout layout() {
      return stored.project(work());
    }

    RowType keptType() {
      return RowType.of(keptTypes().toArray(LogicalType[]::new));
    }

    private List<LogicalType> keptTypes() {
      List<LogicalType> types = new ArrayList<>();
      layout().fields().forEach(field -> types.add(field.kind().dataType().getLogicalType()));
      metadata.forEach(column -> types.add(column.dataType().getLogicalType().copy(true)));
      return types;
    }

    RowType changeType() {
      List<LogicalType> types = new ArrayList<>(keptTypes());
      types.add(0, new VarBinaryType(VarBinaryType.MAX_LENGTH));
      return RowType.of(types.toArray(LogicalType[]::new));
    }

    ChangeFold.Shape shape() {
      List<Integer> work = work();
      List<Integer> shown = new ArrayList<>();
      projected.forEach(index -> shown.add(work.indexOf(index)));
      for (int i = 0; i < metadata.size(); i++) {
        shown.add(work.size() + i);
      }
      return new ChangeFold.Shape(layout(), keptType(), shown);
    }
  }
}
