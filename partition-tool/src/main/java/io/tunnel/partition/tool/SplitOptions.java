package io.tunnel.partition.tool;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.partition.tool.QuantileCore.Quantiles;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.StandardStream;
import io.tunnel.terminal.file.Separator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that say how a table is split. What was not given is null. */
final class SplitOptions {

  private static final int WIDTH_DEFAULT = 8;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "How many partitions, 1 to 1024 (default: 1, or as many as --points make).")
  private Integer partitions;

  @Option(
      names = "--split",
      paramLabel = "STRATEGY",
      description =
          "Where the split points come from: ${COMPLETION-CANDIDATES} (default: what the other"
              + " options or the first key column's type say).")
  private SplitStrategy strategy;

  @Option(
      names = "--width",
      paramLabel = "DIGITS",
      description = "hex: how many digits the points have, 1 to 15 (default: 8).")
  private Integer width;

  @Option(names = "--upper-case", description = "hex: the keys are written with A-F, not a-f.")
  private boolean upperCase;

  @Option(names = "--from", paramLabel = "N", description = "integer: the lowest key to expect.")
  private Long from;

  @Option(names = "--to", paramLabel = "N", description = "integer: the highest key to expect.")
  private Long to;

  @Option(
      names = "--points",
      paramLabel = "P",
      split = ",",
      description = "points: the first key of each partition but the first, in rising order.")
  private List<String> points;

  @Option(
      names = "--sample",
      paramLabel = "FILE",
      description =
          "sample: a file of keys, one a line, or CSV with --column; - is standard input.")
  private Path sample;

  @Option(
      names = "--column",
      paramLabel = "NAME|N",
      description =
          "sample: the column of the CSV file: a name of its first line, or a number from 1 when"
              + " the first line is data.")
  private String column;

  @Option(
      names = "--separator",
      paramLabel = "CHARACTER",
      description = "sample: what separates the CSV file's columns, such as ';' or tab (a comma).",
      converter = Separator.class)
  private Character separator;

  /** For picocli. */
  SplitOptions() {}

  /**
   * The plan for a table whose first key column is {@code first}.
   *
   * @throws IllegalArgumentException when the options do not make one; says what would be right
   */
  SplitPlan plan(PrimaryKeySchema first) throws IOException {
    SplitStrategy chosen = strategy(first.type());
    refuseOptionsOfOthers(chosen);
    int count = SplitPlanCore.requirePartitions(partitions == null ? 1 : partitions);
    if (chosen == SplitStrategy.POINTS) {
      return explicit(first.type());
    }
    if (count == 1 && chosen != SplitStrategy.SAMPLE) {
      return new SplitPlan("not split", List.of());
    }
    return switch (chosen) {
      case HASH4 -> hash4(first, count);
      case HEX -> hex(first, count);
      case INTEGER -> integers(first, count);
      case POINTS, SAMPLE -> sample(first.type(), count);
    };
  }

  private SplitStrategy strategy(PrimaryKeyType type) {
    if (strategy != null) {
      return strategy;
    }
    if (points != null) {
      return SplitStrategy.POINTS;
    }
    return sample == null ? SplitStrategy.defaultFor(type) : SplitStrategy.SAMPLE;
  }

  private void refuseOptionsOfOthers(SplitStrategy chosen) {
    refuseUnless(chosen, SplitStrategy.HEX, "--width", width != null);
    refuseUnless(chosen, SplitStrategy.HEX, "--upper-case", upperCase);
    refuseUnless(chosen, SplitStrategy.INTEGER, "--from", from != null);
    refuseUnless(chosen, SplitStrategy.INTEGER, "--to", to != null);
    refuseUnless(chosen, SplitStrategy.POINTS, "--points", points != null);
    refuseUnless(chosen, SplitStrategy.SAMPLE, "--sample", sample != null);
    refuseUnless(chosen, SplitStrategy.SAMPLE, "--column", column != null);
    refuseUnless(chosen, SplitStrategy.SAMPLE, "--separator", separator != null);
    if (separator != null && column == null) {
      throw new IllegalArgumentException(
          "--separator is of CSV, of which --column names the column that has the keys; without it"
              + " each line of the sample is a key");
    }
  }

  private static void refuseUnless(
      SplitStrategy chosen, SplitStrategy owner, String option, boolean isGiven) {
    if (isGiven && chosen != owner) {
      throw new IllegalArgumentException(
          option + " belongs to --split " + owner + ", but the table is split by " + chosen);
    }
  }

  private static SplitPlan hash4(PrimaryKeySchema first, int count) {
    requireType(first, PrimaryKeyType.BINARY, SplitStrategy.HASH4);
    return new SplitPlan("evenly over a 4-byte hash", SplitPlanCore.hash4(count));
  }

  private SplitPlan hex(PrimaryKeySchema first, int count) {
    requireType(first, PrimaryKeyType.STRING, SplitStrategy.HEX);
    int digits = width == null ? WIDTH_DEFAULT : width;
    return new SplitPlan(
        "evenly over " + digits + (upperCase ? " upper-case" : "") + " hexadecimal digits",
        SplitPlanCore.hex(digits, upperCase, count));
  }

  private SplitPlan integers(PrimaryKeySchema first, int count) {
    requireType(first, PrimaryKeyType.INTEGER, SplitStrategy.INTEGER);
    if (from == null || to == null) {
      throw new IllegalArgumentException(
          "--split integer needs --from and --to, the lowest and the highest key to expect (for"
              + " hashes of 64 bits: --from "
              + Long.MIN_VALUE
              + " --to "
              + Long.MAX_VALUE
              + ")");
    }
    return new SplitPlan(
        "evenly over the integers " + from + " to " + to, SplitPlanCore.integers(from, to, count));
  }

  private static void requireType(
      PrimaryKeySchema first, PrimaryKeyType wanted, SplitStrategy strategy) {
    if (first.type() != wanted) {
      throw new IllegalArgumentException(
          "--split "
              + strategy
              + " needs a first key column of type "
              + wanted
              + ", but '"
              + first.name()
              + "' is "
              + first.type()
              + ": use --split "
              + SplitStrategy.defaultFor(first.type())
              + ", points or sample");
    }
  }

  private SplitPlan explicit(PrimaryKeyType type) {
    if (points == null) {
      throw new IllegalArgumentException(
          "--split points needs --points P,P,…: the first key of each partition but the first");
    }
    List<PrimaryKeyValue> values =
        points.stream().map(point -> KeyText.parse(type, point)).toList();
    SplitPlanCore.explicit(values);
    int count = SplitPlanCore.requirePartitions(values.size() + 1);
    if (partitions != null && partitions != count) {
      throw new IllegalArgumentException(
          values.size()
              + " points make "
              + count
              + " partitions, not "
              + partitions
              + ": leave --partitions out, or give "
              + (partitions - 1)
              + " points");
    }
    return new SplitPlan("at the points given", values);
  }

  private SplitPlan sample(PrimaryKeyType type, int count) throws IOException {
    if (sample == null) {
      throw new IllegalArgumentException(
          "--split sample needs --sample FILE: keys, one a line, or CSV with --column");
    }
    Path file = StandardStream.device(sample);
    SampleKeys keys =
        column == null
            ? SampleFile.readLines(file, type)
            : SampleFile.readCsv(file, type, column, Optional.ofNullable(separator));
    Quantiles quantiles;
    try {
      quantiles = QuantileCore.of(keys.keys(), type, count);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("'" + sample + "': " + e.getMessage());
    }
    String how =
        "by quantiles of "
            + Human.count(keys.seen())
            + " keys of "
            + Optional.ofNullable(sample.getFileName()).orElse(sample)
            + (keys.stride() == 1 ? "" : " (every " + keys.stride() + "th of them)");
    return new SplitPlan(how, quantiles.points(), quantiles.keys());
  }
}
