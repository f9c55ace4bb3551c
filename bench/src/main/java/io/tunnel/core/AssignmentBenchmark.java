package io.tunnel.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost for a server to assign 10,000 channels to sessions anew. The class is in this package
 * because the measured methods are package-private.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AssignmentBenchmark {

  private static final int CHANNELS = 10_000;

  /** Sessions that hold all channels. */
  @Param({"1", "100", "1000"})
  int sessions;

  private final List<AssignerCore.Seat> seats = new ArrayList<>();
  private final List<AssignerCore.Seat> oneMore = new ArrayList<>();
  private final List<AssignerCore.Seat> oneLess = new ArrayList<>();
  private final Map<ChannelKey, String> held = new LinkedHashMap<>();

  /** Gives the channels to the sessions. */
  @Setup
  public void spread() {
    Map<ChannelKey, String> free = new LinkedHashMap<>();
    for (int channel = 0; channel < CHANNELS; channel++) {
      free.put(ChannelKey.stream(channel), null);
    }
    for (int session = 0; session < sessions; session++) {
      seats.add(new AssignerCore.Seat("session-" + session, 0, 0));
    }
    held.putAll(AssignerCore.assign(seats, free, 0));
    oneMore.addAll(seats);
    oneMore.add(new AssignerCore.Seat("one more", 0, 0));
    oneLess.addAll(seats.subList(1, seats.size()));
  }

  /** How many microseconds does it take when a session comes? */
  @Benchmark
  public Map<ChannelKey, String> sessionComes() {
    return AssignerCore.assign(oneMore, held, 0);
  }

  /** How many microseconds does it take when a session is over, and its channels are free? */
  @Benchmark
  public Map<ChannelKey, String> sessionEnds() {
    return AssignerCore.assign(oneLess, held, 0);
  }
}
