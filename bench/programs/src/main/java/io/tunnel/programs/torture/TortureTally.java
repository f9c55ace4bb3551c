package io.tunnel.programs.torture;

import com.google.gson.Gson;
import io.tunnel.programs.torture.WitnessCore.Findings;
import io.tunnel.terminal.Human;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was done and what was found, of a whole run. */
final class TortureTally {

  private static final Gson GSON = new Gson();

  private final long seed;
  private final List<String> leftOut;
  private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private final List<String> examples = new ArrayList<>();
  private Findings findings = Findings.NONE;
  private Optional<String> endedEarly = Optional.empty();
  private int rounds;
  private int startsInterrupted;
  private int startsRefused;
  private int servedAfterFullDisk;
  private int trimmed;
  private int drainsRefused;
  private long checkpointsTakenBack;
  private long tablesWrong;
  private long delivered;
  private long acknowledged;
  private long doubts;
  private long refusals;

  TortureTally(long seed, List<String> leftOut) {
    this.seed = seed;
    this.leftOut = List.copyOf(leftOut);
  }

  /** The last line of {@code --json}. */
  private record Summary(
      long seed,
      int rounds,
      int kills,
      int suspensions,
      int powerLosses,
      int fullDisks,
      int failingDisks,
      int empties,
      int oneWays,
      int drains,
      int brokerKills,
      int brokerSuspensions,
      int brokerPowerLosses,
      int uncleanElections,
      int drainsRefused,
      int trimmedLogs,
      int startsInterrupted,
      int startsRefused,
      int servedAfterFullDisk,
      long operationsAcknowledged,
      long operationsInDoubt,
      long operationsRefused,
      long changesDelivered,
      long lost,
      long orderViolations,
      long duplicates,
      long phantoms,
      long disagreements,
      long checkpointsTakenBack,
      long tablesWrong,
      boolean verified,
      String endedEarly,
      List<String> leftOut,
      List<String> examples,
      long elapsedMs) {}

  void fault(Fault fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  void startInterrupted() {
    startsInterrupted++;
  }

  /** A server did not start on what a fault had left. */
  void startRefused(String message) {
    startsRefused++;
    example(message);
  }

  /** The torture could not go on, through no fault of the server that is known. */
  void endedEarly(String reason) {
    endedEarly = Optional.of(reason);
  }

  void servedAfterFullDisk() {
    servedAfterFullDisk++;
  }

  /** So many partitions of a cluster have a trimmed log; the most are told. */
  void trimmed(int partitions) {
    trimmed = Math.max(trimmed, partitions);
  }

  /** A node could not be asked to drain, or to take part again. */
  void drainRefused() {
    drainsRefused++;
  }

  /** A round has ended. */
  void round(Checks.Result result, long takenBack, List<String> wrongTables) {
    rounds++;
    delivered += result.delivered();
    findings = findings.plus(result.findings());
    result.findings().examples().forEach(this::example);
    checkpointsTakenBack += takenBack;
    tablesWrong += wrongTables.size();
    wrongTables.forEach(this::example);
  }

  private void example(String text) {
    if (examples.size() < 20) {
      examples.add("round " + rounds + ": " + text);
    }
  }

  /** What a ledger has at the end of its life. */
  void add(Witness ledger) {
    acknowledged += ledger.acknowledgedCount();
    doubts += ledger.doubts();
    refusals += ledger.refusals();
  }

  int rounds() {
    return rounds;
  }

  boolean isClean() {
    return findings.isClean()
        && checkpointsTakenBack + tablesWrong + startsRefused == 0
        && endedEarly.isEmpty();
  }

  private int count(Fault fault) {
    return faults.getOrDefault(fault, 0);
  }

  String json(long elapsedMs) {
    return GSON.toJson(
        new Summary(
            seed,
            rounds,
            count(Fault.KILL),
            count(Fault.SUSPEND),
            count(Fault.POWER),
            count(Fault.FULL_DISK),
            count(Fault.FAILING_DISK),
            count(Fault.EMPTY),
            count(Fault.ONE_WAY),
            count(Fault.DRAIN),
            count(Fault.BROKER_KILL),
            count(Fault.BROKER_SUSPEND),
            count(Fault.BROKER_POWER),
            count(Fault.UNCLEAN),
            drainsRefused,
            trimmed,
            startsInterrupted,
            startsRefused,
            servedAfterFullDisk,
            acknowledged,
            doubts,
            refusals,
            delivered,
            findings.lost(),
            findings.orderViolations(),
            findings.duplicates(),
            findings.phantoms(),
            findings.disagreements(),
            checkpointsTakenBack,
            tablesWrong,
            isClean(),
            endedEarly.orElse(null),
            leftOut,
            examples,
            elapsedMs));
  }

  private Optional<String> ofCluster() {
    List<String> parts = new ArrayList<>();
    faults.forEach(
        (fault, count) -> {
          if (fault.needsCluster()) {
            parts.add(fault.optionName() + " " + count);
          }
        });
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "of the cluster: "
                + String.join(", ", parts)
                + "; "
                + Human.counted(trimmed, "trimmed log")
                + ", "
                + Human.counted(drainsRefused, "drain")
                + " refused");
  }

  /** For people. */
  List<String> lines(long elapsedMs) {
    List<String> lines = new ArrayList<>();
    lines.add(
        Human.counted(rounds, "round")
            + " in "
            + Human.duration(elapsedMs)
            + ", seed "
            + seed
            + ": "
            + Human.counted(count(Fault.KILL), "kill")
            + ", "
            + Human.counted(count(Fault.SUSPEND), "suspension")
            + ", "
            + Human.counted(count(Fault.POWER), "power cut")
            + ", "
            + Human.counted(count(Fault.FULL_DISK), "full disk")
            + ", "
            + Human.counted(count(Fault.FAILING_DISK), "failing disk")
            + "; "
            + Human.counted(startsInterrupted, "start")
            + " interrupted");
    ofCluster().ifPresent(lines::add);
    leftOut.forEach(text -> lines.add("left out: " + text));
    lines.add(
        "operations: "
            + Human.count(acknowledged)
            + " acknowledged, "
            + Human.count(doubts)
            + " in doubt, "
            + Human.count(refusals)
            + " refused; "
            + Human.count(delivered)
            + " changes delivered and compared");
    examples.forEach(lines::add);
    lines.add(
        "lost = "
            + findings.lost()
            + ", out of order = "
            + findings.orderViolations()
            + ", twice = "
            + findings.duplicates()
            + ", never sent or refused = "
            + findings.phantoms()
            + ", rows that differ from their changes = "
            + findings.disagreements()
            + ", checkpoints taken back = "
            + checkpointsTakenBack
            + ", tables wrong = "
            + tablesWrong
            + ", starts refused = "
            + startsRefused);
    endedEarly.ifPresent(reason -> lines.add("ended early: " + reason));
    lines.add(isClean() ? "verified" : "NOT VERIFIED");
    return lines;
  }
}
