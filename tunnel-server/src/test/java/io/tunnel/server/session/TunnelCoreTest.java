package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TunnelCoreTest {

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyPromiseHoldsAfterEveryStep(long seed) {
    TunnelSimulation simulation = new TunnelSimulation(seed);
    for (int step = 0; step < 200; step++) {
      simulation.step();
    }
  }

  @Test
  void aRefusedChannelDoesNotTakeARoomThatAnotherWasToHave() {
    TunnelCore core = core(3);
    core.open("a", "tag", 1_000, 2, 0);
    core.open("b", "tag", 1_000, 2, 0);
    long epoch = core.view().get(0).epoch();
    core.release("a", 1, epoch, 1);
    Map<String, Integer> held = new TreeMap<>();
    for (TunnelCore.View view : core.view()) {
      view.owner().ifPresent(owner -> held.merge(owner, 1, Integer::sum));
    }
    assertThat(held).allSatisfy((owner, count) -> assertThat(count).isLessThanOrEqualTo(2));
  }

  @Test
  void theOnlySessionDoesNotGetBackWhatItRefusedUntilAnotherComes() {
    TunnelCore core = core(1);
    core.open("a", "tag", 1_000, 0, 0);
    long epoch = core.view().get(0).epoch();
    List<TunnelEffect> effects = core.release("a", 1, epoch, 1);
    assertThat(effects).containsExactly(new TunnelEffect.Take("a", 1, epoch));
    effects = core.open("b", "tag", 1_000, 0, 2);
    assertThat(effects).containsExactly(new TunnelEffect.Assign("b", 1, epoch + 1, 0));
  }

  @Test
  void aMoveEndsAtItsDeadlineAndNotBefore() {
    TunnelCore core = core(2);
    core.open("a", "tag", 1_000, 0, 0);
    List<TunnelEffect> effects = core.open("b", "tag", 1_000, 0, 10);
    assertThat(effects).hasSize(1).first().isInstanceOf(TunnelEffect.Revoke.class);
    assertThat(core.tick(10 + 49)).isEmpty();
    assertThat(core.tick(10 + 50)).hasSize(2);
  }

  private static TunnelCore core(int partitions) {
    Map<Integer, Long> checkpoints = new TreeMap<>();
    for (int partition = 1; partition <= partitions; partition++) {
      checkpoints.put(partition, 0L);
    }
    return new TunnelCore(checkpoints, 0, 50);
  }
}
