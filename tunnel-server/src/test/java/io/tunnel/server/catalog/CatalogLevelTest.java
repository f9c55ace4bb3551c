package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CatalogLevelTest {

  private static final int WORLDS = 3_000;
  private static final Bytes SOME = Bytes.fromHex("51");

  /** What is stored, by one writer at a time; an answer may not come. */
  private static final class Texts implements CatalogStore {
    private final TreeMap<String, String> texts = new TreeMap<>();
    private final List<Map<String, Optional<String>>> commits = new ArrayList<>();
    private boolean isAnswering = true;
    private boolean isStoring = true;

    /** A write without an answer; nothing else is written before its outcome is known. */
    private Optional<Map<String, Optional<String>>> inDoubt = Optional.empty();

    private boolean isLateStored;

    @Override
    public Map<String, String> all() {
      return new TreeMap<>(texts);
    }

    @Override
    public void write(Map<String, Optional<String>> changes) throws IOException {
      if (inDoubt.isPresent()) {
        throw new StoreUnavailableException("an earlier write is under way");
      }
      if (isStoring) {
        CatalogStore.apply(changes, texts);
        commits.add(changes);
      }
      if (!isAnswering) {
        inDoubt = Optional.of(changes);
        isLateStored = isStoring;
        throw new UnknownOutcomeException("no answer", null);
      }
    }

    @Override
    public void close() {}

    int level() {
      CatalogLevel level = new CatalogLevel();
      level.replace(texts);
      return level.known();
    }
  }

  private static Texts founded(int level) throws IOException {
    Texts texts = new Texts();
    new Founding(new CatalogIdentity(SOME), SOME, level, LogForm.ROWS).noteIn(texts);
    return texts;
  }

  @Test
  void a_new_catalog_has_the_level_of_the_build_that_founds_it_and_keeps_it() throws IOException {
    Texts texts = founded(2);
    assertThat(new Catalog(texts).level()).isEqualTo(2);
    new Founding(new CatalogIdentity(SOME), SOME, 3, LogForm.ROWS).noteIn(texts);
    assertThat(new Catalog(texts).level()).isEqualTo(2);
  }

  @Test
  void a_build_below_the_level_does_not_lead() throws IOException {
    Texts texts = founded(2);
    assertThatThrownBy(
            () -> new Founding(new CatalogIdentity(SOME), SOME, 1, LogForm.ROWS).noteIn(texts))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has level 2, and this build serves level 1 at most");
  }

  @Test
  void a_store_of_a_lower_level_is_not_led() throws IOException {
    Catalog catalog = new Catalog(founded(2));
    catalog.resign();
    assertThatThrownBy(() -> catalog.lead(founded(1)))
        .isInstanceOf(CatalogWentBackException.class)
        .hasMessageContaining("has level 1, and this node knows of level 2");
    assertThat(catalog.level()).isEqualTo(2);
  }

  @Test
  void a_follower_raises_nothing() throws IOException {
    Catalog catalog = new Catalog(founded(1));
    catalog.resign();
    assertThatThrownBy(() -> catalog.raise(2))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_LEADER));
  }

  @Test
  void a_raise_without_an_answer_counts_when_it_is_known_to_be_stored() throws IOException {
    Texts texts = founded(1);
    Catalog catalog = new Catalog(texts);
    texts.isAnswering = false;
    assertThatThrownBy(() -> catalog.raise(2)).isInstanceOf(UnknownOutcomeException.class);
    assertThat(catalog.level()).isEqualTo(1);
    catalog.applied(CatalogLevel.noting(2));
    assertThat(catalog.level()).isEqualTo(2);
  }

  @Test
  void a_node_that_has_not_caught_up_hears_a_raise_at_once() {
    Catalog catalog = new Catalog();
    catalog.followed(CatalogLevel.noting(2));
    assertThat(catalog.level()).isEqualTo(2);
    assertThat(catalog.tables()).isEmpty();
  }

  @Test
  void whoever_leads_and_whatever_is_lost_no_node_knows_a_level_that_is_not_durable()
      throws IOException {
    for (int seed = 0; seed < WORLDS; seed++) {
      new World(seed).run();
    }
  }

  /** Three nodes, of which one leads at a time, and which hear late, restart, and raise. */
  private static final class World {
    private final int seed;
    private final SplittableRandom random;
    private final Texts texts = founded(1);
    private final Catalog[] nodes = new Catalog[3];
    private final int[] heard = new int[3];
    private final int[] least = new int[3];
    private int leader;

    World(int seed) throws IOException {
      this.seed = seed;
      random = new SplittableRandom(seed);
      for (int node = 0; node < nodes.length; node++) {
        start(node);
      }
      nodes[0].lead(texts);
    }

    private void start(int node) {
      nodes[node] = new Catalog();
      heard[node] = 0;
      least[node] = 1;
      hear(node, texts.commits.size());
      nodes[node].caughtUp();
    }

    private void hear(int node, int upTo) {
      while (heard[node] < upTo) {
        nodes[node].followed(texts.commits.get(heard[node]++));
      }
    }

    void run() throws IOException {
      for (int step = 0; step < 20; step++) {
        texts.isAnswering = random.nextInt(3) > 0;
        texts.isStoring = texts.isAnswering || random.nextBoolean();
        int node = random.nextInt(nodes.length);
        switch (random.nextInt(6)) {
          case 0, 1 -> raise(1 + random.nextInt(6));
          case 2 -> hear(node, Math.min(texts.commits.size(), heard[node] + random.nextInt(3)));
          case 3 -> lead(node);
          case 4 -> outcome();
          default -> restart(node);
        }
        check(step);
      }
    }

    private void raise(int to) {
      try {
        nodes[leader].raise(to);
        assertThat(texts.level()).as("an answered raise, seed %d", seed).isGreaterThanOrEqualTo(to);
      } catch (IOException e) {
        assertThat(texts.inDoubt).as("seed %d", seed).isPresent();
      }
    }

    /** The outcome of a write without an answer is known at last. */
    private void outcome() {
      texts.inDoubt.filter(late -> texts.isLateStored).ifPresent(nodes[leader]::applied);
      texts.inDoubt = Optional.empty();
    }

    private void lead(int node) throws IOException {
      nodes[leader].resign();
      texts.inDoubt = Optional.empty();
      leader = node;
      nodes[node].lead(texts);
      assertThat(nodes[node].level()).as("a leader, seed %d", seed).isEqualTo(texts.level());
    }

    private void restart(int node) throws IOException {
      start(node);
      assertThat(nodes[node].level()).as("a start, seed %d", seed).isEqualTo(texts.level());
      if (node == leader) {
        lead(node);
      }
    }

    private void check(int step) {
      for (int node = 0; node < nodes.length; node++) {
        String what = "node " + node + ", seed " + seed + ", step " + step;
        assertThat(nodes[node].level()).as(what).isBetween(least[node], texts.level());
        least[node] = nodes[node].level();
      }
    }
  }
}
