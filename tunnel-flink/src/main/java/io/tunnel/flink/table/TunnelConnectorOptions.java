package io.tunnel.flink.table;

import io.tunnel.flink.sink.RejectedRows;
import io.tunnel.flink.sink.WriteDurability;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** The options of {@code 'connector' = 'tunnel'}; docs/guides/flink.md has them as a table. */
public final class TunnelConnectorOptions {

  /** The endpoint of the service. */
  public static final ConfigOption<String> ENDPOINT =
      ConfigOptions.key("endpoint")
          .stringType()
          .noDefaultValue()
          .withDescription("HOST:PORT of the service, or several with commas between them.");

  /** The table. */
  public static final ConfigOption<String> TABLE =
      ConfigOptions.key("table")
          .stringType()
          .noDefaultValue()
          .withDescription("The table's name in the service.");

  /** The tunnel. */
  public static final ConfigOption<String> TUNNEL =
      ConfigOptions.key("tunnel")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A tunnel of the table: its checkpoint is where 'scan.start' = 'checkpoint' begins, and"
                  + " Flink's checkpoints are reported to it, so that operators see the lag.");

  /** What is read. */
  public static final ConfigOption<ScanMode> SCAN_MODE =
      ConfigOptions.key("scan.mode")
          .enumType(ScanMode.class)
          .noDefaultValue()
          .withDescription("What is read; 'base-and-stream', or 'base' in batch mode.");

  /** Where a stream starts. */
  public static final ConfigOption<ScanStart> SCAN_START =
      ConfigOptions.key("scan.start")
          .enumType(ScanStart.class)
          .defaultValue(ScanStart.EARLIEST)
          .withDescription("Where 'scan.mode' = 'stream' starts.");

  /** The moment of a start. */
  public static final ConfigOption<Long> SCAN_START_MS =
      ConfigOptions.key("scan.start.timestamp-millis")
          .longType()
          .noDefaultValue()
          .withDescription("The moment of 'scan.start' = 'timestamp', in milliseconds since 1970.");

  /** Where a stream ends. */
  public static final ConfigOption<ScanEnd> SCAN_END =
      ConfigOptions.key("scan.end")
          .enumType(ScanEnd.class)
          .defaultValue(ScanEnd.UNBOUNDED)
          .withDescription("Where the changes end.");

  /** The moment of an end. */
  public static final ConfigOption<Long> SCAN_END_MS =
      ConfigOptions.key("scan.end.timestamp-millis")
          .longType()
          .noDefaultValue()
          .withDescription("The moment of 'scan.end' = 'timestamp', in milliseconds since 1970.");

  /** The form of changes. */
  public static final ConfigOption<ScanChangelog> SCAN_CHANGELOG =
      ConfigOptions.key("scan.changelog")
          .enumType(ScanChangelog.class)
          .noDefaultValue()
          .withDescription("The form of changes; 'full' with a PRIMARY KEY, 'append' without one.");

  /** Bytes that wait in a reader. */
  public static final ConfigOption<MemorySize> SCAN_READER_BYTES_MAX =
      ConfigOptions.key("scan.reader-bytes-max")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(64))
          .withDescription(
              "Bytes that wait in the memory of a reader, which its partitions share: 2 MiB for each"
                  + " at most, 64 KiB at least.");

  /** What is written. */
  public static final ConfigOption<WriteMode> SINK_WRITE_MODE =
      ConfigOptions.key("sink.write-mode")
          .enumType(WriteMode.class)
          .defaultValue(WriteMode.PUT)
          .withDescription(
              "Whether an INSERT replaces the row ('put') or sets the columns that it names"
                  + " ('update').");

  /** Bytes under way. */
  public static final ConfigOption<MemorySize> SINK_BUFFER_BYTES_MAX =
      ConfigOptions.key("sink.buffer-bytes-max")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(8))
          .withDescription("Bytes without an outcome at which a writer makes the job wait.");

  /** Bytes of a batch. */
  public static final ConfigOption<MemorySize> SINK_BATCH_BYTES_MAX =
      ConfigOptions.key("sink.batch-bytes-max")
          .memoryType()
          .defaultValue(MemorySize.parse("256 kb"))
          .withDescription("Bytes after which a partition's batch is sent.");

  /** How long rows wait for more rows. */
  public static final ConfigOption<Duration> SINK_LINGER =
      ConfigOptions.key("sink.linger")
          .durationType()
          .defaultValue(Duration.ofMillis(5))
          .withDescription("How long a row waits for others of its partition at most.");

  /** What an acknowledgement means. */
  public static final ConfigOption<WriteDurability> SINK_DURABILITY =
      ConfigOptions.key("sink.durability")
          .enumType(WriteDurability.class)
          .defaultValue(WriteDurability.TABLE)
          .withDescription("What an acknowledged row survives; 'table': what the table says.");

  /** The reaction to rejected rows. */
  public static final ConfigOption<RejectedRows> SINK_REJECTED_ROWS =
      ConfigOptions.key("sink.rejected-rows")
          .enumType(RejectedRows.class)
          .defaultValue(RejectedRows.FAIL)
          .withDescription("Whether a row that the service rejects fails the job or is skipped.");

  /** How often rows are repeated. */
  public static final ConfigOption<Integer> SINK_REPEAT_ATTEMPTS_MAX =
      ConfigOptions.key("sink.repeat-attempts-max")
          .intType()
          .defaultValue(5)
          .withDescription(
              "How often rows without a certain outcome are written again before the job fails.");

  /** Whether lookups are asynchronous. */
  public static final ConfigOption<Boolean> LOOKUP_ASYNC =
      ConfigOptions.key("lookup.async")
          .booleanType()
          .defaultValue(true)
          .withDescription("Whether a lookup join asks for many rows at a time.");

  private TunnelConnectorOptions() {}
}
