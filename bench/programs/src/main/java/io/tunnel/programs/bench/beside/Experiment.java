package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.WriteRound;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Rounds of several peers in turns, A, B, A, B, because the speed of a machine changes from hour to
 * hour. Before these, each peer warms up until its rates are steady.
 */
public final class Experiment {

  private final Consumer<String> steps;
  private final Rounds rounds;

  /** Adds to {@code rounds}; {@code steps} hears of each round before it begins. */
  public Experiment(Consumer<String> steps, Rounds rounds) {
    this.steps = steps;
    this.rounds = rounds;
  }

  /**
   * One round.
   *
   * @param <P> who is measured
   */
  @FunctionalInterface
  public interface Round<P> {

    /** Measures. */
    Figures run(P peer) throws Exception;
  }

  /**
   * What is measured.
   *
   * @param name of the test, among the rounds
   * @param title what people read before the peer's name
   * @param warmUp a round that does not count; empty for none
   * @param round a round that counts
   * @param <P> who is measured
   */
  public record Test<P>(String name, String title, Optional<Round<P>> warmUp, Round<P> round) {

    /** This test of peers that are warm. */
    public Test<P> warm() {
      return new Test<>(name, title, Optional.empty(), round);
    }
  }

  /** Measures each peer {@code count} times; 0 only warms the peers up. */
  public <P extends Peer> void run(Test<P> test, List<? extends P> peers, int count)
      throws Exception {
    if (test.warmUp().isPresent()) {
      for (P peer : peers) {
        warmUp(test, peer);
      }
    }
    for (int round = 1; round <= count; round++) {
      for (P peer : peers) {
        steps.accept(text(test, peer, round + " of " + count));
        rounds.add(test.name(), peer.name(), test.round().run(peer));
      }
    }
  }

  private <P extends Peer> void warmUp(Test<P> test, P peer) throws Exception {
    WarmUpCore warmUp = new WarmUpCore();
    while (!warmUp.isOver()) {
      steps.accept(text(test, peer, "warm-up"));
      warmUp.ended(test.warmUp().orElseThrow().run(peer).get(WriteRound.RATE));
    }
  }

  private static String text(Test<?> test, Peer peer, String round) {
    return test.title() + ", " + peer.name() + ", " + round;
  }
}
