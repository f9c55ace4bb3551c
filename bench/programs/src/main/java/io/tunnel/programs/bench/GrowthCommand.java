package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Report;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.options.ByteCountConverter;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel bench growth}. */
@Command(
    name = "growth",
    mixinStandardHelpOptions = true,
    description =
        "How rows a second and the CPU time of a row change with one thing at a time: partitions,"
            + " tunnels, workers, size of rows, keys, backlog; with the exponent of each curve, which"
            + " is 1 for what grows as its cause does, 0 for what stays, and where it bends.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench growth",
      "  tunnel bench growth --only partitions --partitions 1,8,64,512",
      "  tunnel bench growth --only keys,backlog --keys 1000000,20000000 --backlog 1GB,10GB",
      "  tunnel bench growth --rows 200000 --json | tail -1"
    })
final class GrowthCommand extends MeasuredCommand {

  static final int VALUES_MAX = 32;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description =
          "Some of partitions, tunnels, workers, row-bytes, keys, backlog (default: all).")
  private List<String> only;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "Rows of a point; fewer of large rows, 1 GiB at most (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--partitions",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,4,16,64,256,1024",
      description = "Partitions of the table (default: ${DEFAULT-VALUE}; 8 of the other points).")
  private List<Long> partitions;

  @Option(
      names = "--tunnels",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,4,16,64",
      description = "Tunnels on one table (default: ${DEFAULT-VALUE}).")
  private List<Long> tunnels;

  @Option(
      names = "--workers",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,2,4,8",
      description = "Workers of one tunnel (default: ${DEFAULT-VALUE}).")
  private List<Long> workers;

  @Option(
      names = "--row-bytes",
      split = ",",
      paramLabel = "SIZE",
      defaultValue = "64,256,1KiB,4KiB,16KiB,64KiB",
      converter = ByteCountConverter.class,
      description = "Bytes of a row (default: ${DEFAULT-VALUE}).")
  private List<Long> rowBytes;

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "N",
      defaultValue = "1000000,5000000,20000000",
      description = "Keys in the table that is written to (default: ${DEFAULT-VALUE}).")
  private List<Long> keys;

  @Option(
      names = "--backlog",
      split = ",",
      paramLabel = "SIZE",
      defaultValue = "1GB,3GB,10GB",
      converter = ByteCountConverter.class,
      description = "Bytes of changes that are read (default: ${DEFAULT-VALUE}).")
  private List<Long> backlog;

  GrowthCommand() {}

  @Override
  void require() {
    BenchOptions.require("--rows", rows, QuickCommand.ROWS_MIN, QuickCommand.ROWS_MAX);
    var unused = chosen();
    values().forEach(GrowthCommand::require);
  }

  private static void require(Variable variable, List<Long> values) {
    String option = "--" + variable.optionName();
    if (values.size() > VALUES_MAX) {
      throw CommandFailure.usage(
          option + " takes " + VALUES_MAX + " values at most, not " + values.size());
    }
    values.forEach(value -> BenchOptions.require(option, value, variable.min(), variable.max()));
  }

  private Set<Variable> chosen() {
    if (only == null) {
      return EnumSet.allOf(Variable.class);
    }
    Set<Variable> chosen = EnumSet.noneOf(Variable.class);
    for (String name : only) {
      chosen.add(
          Variable.named(name)
              .orElseThrow(
                  () ->
                      CommandFailure.usage(
                          "--only names "
                              + String.join(", ", Variable.names())
                              + ", not '"
                              + name
                              + "'")));
    }
    return chosen;
  }

  private Map<Variable, List<Long>> values() {
    return new EnumMap<>(
        Map.of(
            Variable.PARTITIONS, partitions,
            Variable.TUNNELS, tunnels,
            Variable.WORKERS, workers,
            Variable.ROW_BYTES, rowBytes,
            Variable.KEYS, keys,
            Variable.BACKLOG, backlog));
  }

  @Override
  Report measure(Ground ground) throws Exception {
    Map<Variable, List<Long>> rising = new EnumMap<>(Variable.class);
    Map<Variable, List<Long>> values = values();
    chosen().forEach(each -> rising.put(each, List.copyOf(new TreeSet<>(values.get(each)))));
    GrowthBench bench = new GrowthBench(ground, rows);
    return GrowthReport.of(rows, bench.run(rising));
  }
}
