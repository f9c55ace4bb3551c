package io.tunnel.partition.tool;

import io.tunnel.model.OptionsChange;
import io.tunnel.model.TableOptions;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.options.ByteCountConverter;
import io.tunnel.terminal.options.DurationConverter;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * How long a table keeps its changes and its rows, as a mixin of the commands that make and alter
 * tables.
 */
public final class RetentionOptions {

  @Option(
      names = "--retention",
      paramLabel = "TIME",
      converter = RetentionConverter.class,
      description = "How long changes are kept at least, such as 24h or 7d; 0 for ever.")
  private Duration time;

  @Option(
      names = "--retention-bytes",
      paramLabel = "SIZE",
      converter = ByteCountConverter.class,
      description = "Bytes of changes that are kept at least, such as 10GiB; 0 for any number.")
  private Long bytes;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = TtlConverter.class,
      description =
          "How long a row lives after its last write, such as 7d; 0 for ever. A table has a time"
              + " to live from its creation on, or never; its length may change.")
  private Duration ttl;

  /** For picocli. */
  public RetentionOptions() {}

  /** Whether anything was said. */
  public boolean isGiven() {
    return time != null || bytes != null || ttl != null;
  }

  /** The named options. */
  public OptionsChange asked() {
    return new OptionsChange(
        Optional.empty(),
        Optional.ofNullable(time).map(Duration::toMillis),
        Optional.ofNullable(bytes),
        Optional.ofNullable(ttl).map(Duration::toMillis));
  }

  /** A time in whole milliseconds, within the limits of a time to live. */
  static final class TtlConverter implements ITypeConverter<Duration> {

    /** For picocli. */
    TtlConverter() {}

    @Override
    public Duration convert(String text) {
      Duration time = new RetentionConverter().convert(text);
      long ms = time.toMillis();
      if (ms != 0 && (ms < TableOptions.TTL_MS_MIN || ms > TableOptions.TTL_MS_MAX)) {
        throw new TypeConversionException(
            "rows live for "
                + Human.duration(TableOptions.TTL_MS_MIN)
                + " at least and "
                + Human.duration(TableOptions.TTL_MS_MAX)
                + " at most, or for ever with 0, not '"
                + text
                + "'");
      }
      return time;
    }
  }

  /** A time in whole milliseconds; nothing, unlike less than one, means for ever. */
  static final class RetentionConverter implements ITypeConverter<Duration> {

    /** For picocli. */
    RetentionConverter() {}

    @Override
    public Duration convert(String text) {
      Duration time = DurationConverter.orNone(text);
      return time.isZero() ? time : time.plusNanos(999_999);
    }
  }
}
