package io.tunnel.cli.tail;

import io.tunnel.cli.arguments.Moments;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** Where the printing begins in each partition. */
sealed interface TailStart {

  /** What may stand in front of a position. */
  String POSITION = "position:";

  /** The moment whose positions must be found for it. */
  default Optional<Long> moment() {
    return Optional.empty();
  }

  /** The position behind which it begins in the partition of {@code found}. */
  long behind(PartitionPositions found);

  /** With the oldest change that is kept, or behind the newest. */
  record Edge(StreamStart edge) implements TailStart {
    @Override
    public long behind(PartitionPositions found) {
      return edge == StreamStart.EARLIEST ? found.earliest() : found.latest();
    }
  }

  /** With the first change that was committed at or after a moment. */
  record Moment(long ms) implements TailStart {
    @Override
    public Optional<Long> moment() {
      return Optional.of(ms);
    }

    @Override
    public long behind(PartitionPositions found) {
      return found.before().orElse(found.latest());
    }
  }

  /** With the change at a position of the only partition. */
  record At(long position) implements TailStart {
    @Override
    public long behind(PartitionPositions found) {
      if (position - 1 > found.latest()) {
        throw new CommandFailure(
            ExitCode.FAILED,
            "INVALID_POSITION",
            "there is no position "
                + position
                + " in partition "
                + found.partition()
                + " yet: its newest is "
                + found.latest(),
            "--from latest --follow waits for what comes");
      }
      return Math.max(0, position - 1);
    }
  }

  /**
   * What was typed; a usage error when it means nothing.
   *
   * @param isOfOnePartition whether a plain number is a position
   */
  static TailStart parse(String text, boolean isOfOnePartition, Moments moments) {
    boolean isPosition = text.toLowerCase(Locale.ROOT).startsWith(POSITION);
    String number = isPosition ? text.substring(POSITION.length()) : text;
    if (isPosition && !isOfOnePartition) {
      throw CommandFailure.usage("a position is one of a single partition: add --partition P");
    }
    if (isOfOnePartition && number.matches("[0-9]{1,18}")) {
      return new At(Long.parseLong(number));
    }
    if (isPosition) {
      throw CommandFailure.usage(
          "--from " + POSITION + "N has a number from 0 on, not '" + number + "'");
    }
    Optional<StreamStart> edge = Moments.edge(text);
    if (edge.isPresent()) {
      return new Edge(edge.get());
    }
    long ms =
        CommandFailure.checkUsage(
            () -> moments.parse("--from", text, "earliest, latest, a position with --partition, "));
    if (ms > moments.nowMs()) {
      throw CommandFailure.usage(
          "--from '"
              + text
              + "' is to come: by the clock of this machine it is "
              + Instant.ofEpochMilli(moments.nowMs())
              + "; --from latest --follow waits for what comes");
    }
    return new Moment(ms);
  }
}
