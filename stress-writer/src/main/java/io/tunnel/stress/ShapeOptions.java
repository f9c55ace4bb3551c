package io.tunnel.stress;

import io.tunnel.stress.rows.ChangeMix;
import io.tunnel.stress.rows.GeneratedRows;
import io.tunnel.stress.rows.KeyChooser;
import io.tunnel.stress.rows.RowShape;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.stress.rows.UniformKeys;
import io.tunnel.stress.rows.ZipfKeys;
import io.tunnel.terminal.options.ByteCountConverter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that shape generated rows. */
final class ShapeOptions {

  private static final int ATTRIBUTES_DEFAULT = 2;
  private static final long ROW_BYTES_DEFAULT = 220;

  /** How keys are drawn. */
  private enum Distribution {
    uniform,
    zipfian
  }

  @Option(
      names = "--attributes",
      paramLabel = "N",
      defaultValue = "" + ATTRIBUTES_DEFAULT,
      description = "Attribute columns of a generated row (default: ${DEFAULT-VALUE}).")
  private int attributes;

  @Option(
      names = "--value-bytes",
      paramLabel = "SIZE",
      converter = ByteCountConverter.class,
      description = "Bytes of each attribute's value; instead of --row-bytes.")
  private Long valueBytes;

  @Option(
      names = "--row-bytes",
      paramLabel = "SIZE",
      converter = ByteCountConverter.class,
      description = "Bytes of a generated row, key included (default: " + ROW_BYTES_DEFAULT + ").")
  private Long rowBytes;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Distinct keys that rows are written to (default: ${DEFAULT-VALUE}).")
  private long keys;

  @Option(
      names = "--distribution",
      paramLabel = "NAME",
      defaultValue = "uniform",
      description = "How keys are drawn: uniform or zipfian (default: ${DEFAULT-VALUE}).")
  private Distribution distribution;

  @Option(
      names = "--zipf-exponent",
      paramLabel = "X",
      defaultValue = "0.99",
      description = "Skew of zipfian keys, more is more skewed (default: ${DEFAULT-VALUE}).")
  private double exponent;

  @Option(
      names = "--puts",
      paramLabel = "PERCENT",
      description = "Share of puts; with --updates and --deletes it must add up to 100.")
  private Integer puts;

  @Option(names = "--updates", paramLabel = "PERCENT", description = "Share of updates.")
  private Integer updates;

  @Option(names = "--deletes", paramLabel = "PERCENT", description = "Share of deletes.")
  private Integer deletes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Equal seeds give equal rows per thread (default: ${DEFAULT-VALUE}).")
  private long seed;

  /**
   * A source per thread; refuses shapes that make no sense with {@link IllegalArgumentException}.
   */
  List<RowSource> sources(int threads) {
    RowShape shape = shape();
    ChangeMix mix = mix();
    KeyChooser chooser =
        distribution == Distribution.zipfian ? new ZipfKeys(keys, exponent) : new UniformKeys(keys);
    List<RowSource> sources = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      sources.add(new GeneratedRows(chooser, shape, mix, seed + i));
    }
    return sources;
  }

  private RowShape shape() {
    if (valueBytes != null && rowBytes != null) {
      throw new IllegalArgumentException("give --value-bytes or --row-bytes, not both");
    }
    return valueBytes != null
        ? RowShape.ofValueBytes(attributes, valueBytes)
        : RowShape.ofRowBytes(attributes, rowBytes == null ? ROW_BYTES_DEFAULT : rowBytes);
  }

  private ChangeMix mix() {
    if (puts == null && updates == null && deletes == null) {
      return ChangeMix.PUTS;
    }
    return new ChangeMix(share(puts), share(updates), share(deletes));
  }

  private static int share(Integer given) {
    return given == null ? 0 : given;
  }
}
