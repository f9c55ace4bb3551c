package io.tunnel.flink.table;

import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.StartAt;
import io.tunnel.sdk.PartitionReaderConfig;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The scan options of a table.
 *
 * @param mode rows, changes or both
 * @param start where changes start
 * @param end where changes end
 * @param changelog the form of changes; without meaning for {@link ScanMode#BASE}
 * @param tunnel the tunnel to report progress to
 * @param readerBytesMax bytes that may wait in the memory of each reader
 */
record ScanPlan(
    ScanMode mode,
    StartAt start,
    EndAt end,
    ScanChangelog changelog,
    Optional<String> tunnel,
    int readerBytesMax) {

  ScanPlan {
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(changelog, "changelog");
    Objects.requireNonNull(tunnel, "tunnel");
  }

  /**
   * Reads the options.
   *
   * @throws ValidationException naming the conflicting options, and a remedy
   */
  static ScanPlan of(ReadableConfig options, ReadableConfig session, boolean hasKey) {
    boolean isBatch = session.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.BATCH;
    ScanMode mode =
        options
            .getOptional(TunnelConnectorOptions.SCAN_MODE)
            .orElse(isBatch ? ScanMode.BASE : ScanMode.BASE_AND_STREAM);
    Optional<String> tunnel = options.getOptional(TunnelConnectorOptions.TUNNEL);
    ScanPlan plan =
        new ScanPlan(
            mode,
            start(options, mode, tunnel),
            end(options, mode),
            changelog(options, hasKey),
            tunnel,
            readerBytesMax(options));
    if (plan.start instanceof StartAt.Timestamp from
        && plan.end instanceof EndAt.Timestamp to
        && to.epochMs() < from.epochMs()) {
      throw new ValidationException(
          "'"
              + TunnelConnectorOptions.SCAN_END_MS.key()
              + "' = "
              + to.epochMs()
              + " is before '"
              + TunnelConnectorOptions.SCAN_START_MS.key()
              + "' = "
              + from.epochMs());
    }
    if (mode != ScanMode.BASE && isBatch && plan.changelog != ScanChangelog.APPEND) {
      throw new ValidationException(
          "batch mode reads rows, 'scan.mode' = 'base', or changes as rows of their own,"
              + " 'scan.changelog' = 'append' with 'scan.end'; a changelog is for streaming mode");
    }
    return plan;
  }

  private static StartAt start(ReadableConfig options, ScanMode mode, Optional<String> tunnel) {
    ScanStart start = options.get(TunnelConnectorOptions.SCAN_START);
    boolean isGiven = options.getOptional(TunnelConnectorOptions.SCAN_START).isPresent();
    if (mode != ScanMode.STREAM && isGiven && start != ScanStart.EARLIEST) {
      throw new ValidationException(
          "'scan.start' is where 'scan.mode' = 'stream' starts; '"
              + mode
              + "' starts with the rows that exist");
    }
    Optional<Long> moment =
        moment(
            options,
            TunnelConnectorOptions.SCAN_START_MS,
            "'scan.start' = 'timestamp'",
            start == ScanStart.TIMESTAMP);
    return switch (start) {
      case EARLIEST -> StartAt.earliest();
      case LATEST -> StartAt.latest();
      case TIMESTAMP -> StartAt.timestamp(moment.orElseThrow());
      case CHECKPOINT ->
          StartAt.checkpointOf(
              tunnel.orElseThrow(
                  () ->
                      new ValidationException(
                          "'scan.start' = 'checkpoint' needs 'tunnel', whose checkpoint it is")));
    };
  }

  private static EndAt end(ReadableConfig options, ScanMode mode) {
    ScanEnd end = options.get(TunnelConnectorOptions.SCAN_END);
    if (mode == ScanMode.BASE && end != ScanEnd.UNBOUNDED) {
      throw new ValidationException(
          "'scan.end' is where changes end; 'scan.mode' = 'base' ends behind the rows by itself");
    }
    Optional<Long> moment =
        moment(
            options,
            TunnelConnectorOptions.SCAN_END_MS,
            "'scan.end' = 'timestamp'",
            end == ScanEnd.TIMESTAMP);
    return switch (end) {
      case UNBOUNDED -> EndAt.never();
      case LATEST -> EndAt.latest();
      case TIMESTAMP -> EndAt.timestamp(moment.orElseThrow());
    };
  }

  private static Optional<Long> moment(
      ReadableConfig options, ConfigOption<Long> option, String of, boolean isWanted) {
    Optional<Long> moment = options.getOptional(option);
    if (moment.isPresent() != isWanted) {
      throw new ValidationException("'" + option.key() + "' and " + of + " belong together");
    }
    if (moment.isPresent() && moment.get() < 0) {
      throw new ValidationException(
          "'" + option.key() + "' is milliseconds since 1970, not " + moment.get());
    }
    return moment;
  }

  private static int readerBytesMax(ReadableConfig options) {
    MemorySize size = options.get(TunnelConnectorOptions.SCAN_READER_BYTES_MAX);
    try {
      return PartitionReaderConfig.DEFAULTS
          .withReaderBytesMax(Math.toIntExact(size.getBytes()))
          .readerBytesMax();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new ValidationException(
          "'"
              + TunnelConnectorOptions.SCAN_READER_BYTES_MAX.key()
              + "' is 64 kb to 1 gb, not "
              + size,
          e);
    }
  }

  private static ScanChangelog changelog(ReadableConfig options, boolean hasKey) {
    ScanChangelog changelog =
        options
            .getOptional(TunnelConnectorOptions.SCAN_CHANGELOG)
            .orElse(hasKey ? ScanChangelog.FULL : ScanChangelog.APPEND);
    if (changelog == ScanChangelog.APPEND && hasKey) {
      throw new ValidationException(
          "with 'scan.changelog' = 'append' a key has as many rows as changes: declare the table"
              + " without PRIMARY KEY");
    }
    if (changelog != ScanChangelog.APPEND && !hasKey) {
      throw new ValidationException(
          "'scan.changelog' = '"
              + changelog.name().toLowerCase(Locale.ROOT)
              + "' needs PRIMARY KEY (...) NOT ENFORCED; without one there is 'append'");
    }
    return changelog;
  }

  /** Whether the scan ends by itself. */
  boolean isBounded() {
    return mode == ScanMode.BASE || !(end instanceof EndAt.Never);
  }
}
