package io.tunnel.programs.bench.seeds.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** What some processes have used so far, as Linux counts it in {@code /proc}. */
public final class ProcessMeter {

  /** Clock ticks of a second; Linux shows this number to every program. */
  private static final double TICKS_PER_SECOND = 100;

  /** Of what follows the name of the program, in brackets: state, 10 numbers, user and system. */
  private static final int USER_TICKS = 11;

  private static final double MIB = 1 << 20;

  private final List<Path> processes;

  /** Processes below {@code proc}, which is {@code /proc} but in tests. */
  ProcessMeter(Path proc, List<Long> pids) {
    this.processes = pids.stream().map(pid -> proc.resolve(String.valueOf(pid))).toList();
  }

  /**
   * A look.
   *
   * @param nanos when
   * @param cpuTicks of all threads since the start; empty where the system does not say
   * @param writtenBytes sent to disks since the start; empty where the system does not say
   */
  public record Look(long nanos, OptionalLong cpuTicks, OptionalLong writtenBytes) {

    /** CPU time of this look since an earlier one, in percent of one core. */
    public OptionalDouble cpuPercent(Look earlier) {
      return cpuTicks.isEmpty() || earlier.cpuTicks.isEmpty()
          ? OptionalDouble.empty()
          : OptionalDouble.of(
              (cpuTicks.getAsLong() - earlier.cpuTicks.getAsLong())
                  / TICKS_PER_SECOND
                  / seconds(earlier)
                  * 100);
    }

    /** What was written since an earlier look, in MiB a second. */
    public OptionalDouble diskMibPerSecond(Look earlier) {
      return writtenBytes.isEmpty() || earlier.writtenBytes.isEmpty()
          ? OptionalDouble.empty()
          : OptionalDouble.of(
              (writtenBytes.getAsLong() - earlier.writtenBytes.getAsLong())
                  / MIB
                  / seconds(earlier));
    }

    private double seconds(Look earlier) {
      return Math.max(1, nanos - earlier.nanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }
  }

  /** Looks. */
  Look look(long nanos) {
    return new Look(nanos, sum(ProcessMeter::cpuTicks), sum(ProcessMeter::writtenBytes));
  }

  /** Empty without processes, and when one of them does not say. */
  private OptionalLong sum(Function<Path, OptionalLong> number) {
    if (processes.isEmpty()) {
      return OptionalLong.empty();
    }
    long sum = 0;
    for (Path process : processes) {
      OptionalLong one = number.apply(process);
      if (one.isEmpty()) {
        return one;
      }
      sum += one.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  private static OptionalLong cpuTicks(Path proc) {
    try {
      String stat = Files.readString(proc.resolve("stat"));
      // The name of the program may have blanks and brackets.
      List<String> words = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
      return OptionalLong.of(
          Long.parseLong(words.get(USER_TICKS)) + Long.parseLong(words.get(USER_TICKS + 1)));
    } catch (IOException | RuntimeException notLinux) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong writtenBytes(Path proc) {
    try (Stream<String> lines = Files.lines(proc.resolve("io"))) {
      return lines
          .filter(line -> line.startsWith("write_bytes:"))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
          .findFirst();
    } catch (IOException | UncheckedIOException notLinux) {
      return OptionalLong.empty();
    }
  }
}
