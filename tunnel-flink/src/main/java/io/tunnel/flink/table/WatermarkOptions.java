package io.tunnel.flink.table;

import java.time.Duration;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * Flink's options of idleness and alignment for SOURCE_WATERMARK(). The planner applies the options
 * to watermarks declared as an expression, but not to watermarks of a source. Without them, a
 * partition without writes would hold back all watermarks for ever.
 */
final class WatermarkOptions {

  private WatermarkOptions() {}

  static <T> WatermarkStrategy<T> apply(
      WatermarkStrategy<T> watermarks, ReadableConfig options, ReadableConfig session) {
    WatermarkStrategy<T> applied = watermarks;
    Duration idle =
        options
            .getOptional(FactoryUtil.SOURCE_IDLE_TIMEOUT)
            .orElseGet(() -> session.get(ExecutionConfigOptions.TABLE_EXEC_SOURCE_IDLE_TIMEOUT));
    if (idle.toMillis() > 0) {
      applied = applied.withIdleness(idle);
    }
    Optional<String> group = options.getOptional(FactoryUtil.WATERMARK_ALIGNMENT_GROUP);
    Optional<Duration> drift = options.getOptional(FactoryUtil.WATERMARK_ALIGNMENT_MAX_DRIFT);
    // The factory refuses a single alignment option.
    return group.isPresent() && drift.isPresent()
        ? applied.withWatermarkAlignment(
            group.get(), drift.get(), options.get(FactoryUtil.WATERMARK_ALIGNMENT_UPDATE_INTERVAL))
        : applied;
  }
}
