package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Level;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.cluster.OwnLevel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowFeatureTest {

  @ParameterizedTest
  @CsvSource({
    "ATOMIC_BATCHES, atomic batches",
    "AUTO_KEYS, AUTO keys",
    "ROW_SESSIONS, row sessions",
    "TIME_TO_LIVE, time to live"
  })
  void a_feature_needs_its_level_alone(RowFeature feature, String name) {
    feature.require(ClusterView.none());
    assertThatThrownBy(() -> feature.require(ClusterView.alone(new FirstLevel())))
        .hasMessage(
            "the feature '%s' needs level 2, and the level is 1; raise the level: tunnel cluster"
                + " upgrade",
            name);
    FakeView cluster = new FakeView("node:1");
    cluster.level(2);
    feature.require(cluster);
  }

  private static final class FirstLevel implements OwnLevel {

    @Override
    public int level() {
      return Level.FIRST;
    }

    @Override
    public int levelMax() {
      return Level.NEWEST;
    }

    @Override
    public void raise(int to) {
      throw new IllegalStateException("nobody raises the level to " + to);
    }
  }
}
