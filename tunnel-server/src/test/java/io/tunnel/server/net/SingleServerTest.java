package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Level;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.partition.LogFeature;
import io.tunnel.server.partition.TableLogs;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleServerTest {

  @ParameterizedTest
  @CsvSource({
    "ATOMIC_BATCHES, ATOMIC_BATCHES, atomic batches",
    "AUTO_KEYS, AUTO_KEYS, AUTO keys",
    "ROW_SESSIONS, ROW_SESSIONS, row sessions",
    "TIME_TO_LIVE, TIME_TO_LIVE, time to live"
  })
  void a_feature_needs_its_log_and_then_its_level(
      SingleServer feature, LogFeature log, String name) {
    feature.require(new Logs(Set.of(log)), ClusterView.none());
    assertThatThrownBy(
            () -> feature.require(new Logs(Set.of(log)), ClusterView.alone(new FirstLevel())))
        .hasMessage(
            "the feature '%s' needs level 2, and the level is 1; raise the level: tunnel cluster"
                + " upgrade",
            name);
    FakeView cluster = new FakeView("node:1");
    cluster.level(2);
    assertThatThrownBy(
            () -> feature.require(new Logs(EnumSet.complementOf(EnumSet.of(log))), cluster))
        .hasMessageStartingWith("a cluster has no " + name + ": ")
        .hasMessageNotContaining("level");
    feature.require(new Logs(Set.of(log)), cluster);
  }

  private record Logs(Set<LogFeature> features) implements TableLogs {

    @Override
    public boolean areShared() {
      return true;
    }

    @Override
    public boolean has(LogFeature feature) {
      return features.contains(feature);
    }

    @Override
    public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
      throw new IllegalStateException("nobody creates " + table);
    }

    @Override
    public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
      throw new IllegalStateException("nobody alters " + table);
    }

    @Override
    public CompletableFuture<Void> drop(TableRecord table) {
      throw new IllegalStateException("nobody drops " + table);
    }
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
