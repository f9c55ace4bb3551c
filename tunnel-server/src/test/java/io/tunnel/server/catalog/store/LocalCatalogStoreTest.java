package io.tunnel.server.catalog.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.DiskWatch;
import io.tunnel.server.rocks.RocksCatalogFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalCatalogStoreTest {

  private static final int WORLDS = 300;
  private static final int STEPS = 200;

  private long nowNanos;
  private final FakeDisk disk = new FakeDisk();

  /**
   * A disk whose cache may keep what a failed write left, to be found by a later opening, and lost
   * with the power. As a system does, it reports a failed sync once: later syncs of the files that
   * were open then succeed, although nothing of them is durable.
   */
  private static final class FakeDisk {
    private Map<String, String> durable = new TreeMap<>();
    private Optional<Map<String, String>> cache = Optional.empty();
    private BooleanSupplier fails = () -> false;
    private BooleanSupplier keepsInCache = () -> false;
    private IOException failure = new IOException("injected: Input/output error");
    private Runnable inWrite = () -> {};

    private void maybeFail() throws IOException {
      if (fails.getAsBoolean()) {
        throw failure;
      }
    }

    CatalogFile open() throws IOException {
      maybeFail();
      // An opening makes durable what it reads.
      durable = cache.orElse(durable);
      cache = Optional.empty();
      return new FakeFile(new TreeMap<>(durable));
    }

    void losePower() {
      cache = Optional.empty();
    }

    private final class FakeFile implements CatalogFile {
      private final Map<String, String> texts;
      private boolean hasFailed;
      private long syncs;

      FakeFile(Map<String, String> texts) {
        this.texts = texts;
      }

      @Override
      public Map<String, String> all() {
        return new TreeMap<>(texts);
      }

      @Override
      public Map<String, Optional<String>> texts(Collection<String> names) throws IOException {
        maybeFail();
        Map<String, Optional<String>> found = new HashMap<>();
        names.forEach(name -> found.put(name, Optional.ofNullable(texts.get(name))));
        return found;
      }

      @Override
      public void write(Map<String, Optional<String>> changes) throws IOException {
        inWrite.run();
        Map<String, String> written = new TreeMap<>(texts);
        CatalogStore.apply(changes, written);
        try {
          maybeFail();
        } catch (IOException e) {
          hasFailed = true;
          cache = keepsInCache.getAsBoolean() ? Optional.of(written) : cache;
          throw e;
        }
        CatalogStore.apply(changes, texts);
        syncs++;
        if (!hasFailed) {
          durable = written;
        }
      }

      @Override
      public long syncs() {
        return syncs;
      }

      @Override
      public void close() {
        // Nothing is open.
      }
    }
  }

  private LocalCatalogStore open() throws IOException {
    return new LocalCatalogStore(disk::open, () -> nowNanos);
  }

  private static Map<String, Optional<String>> set(String name, String text) {
    return Map.of(name, Optional.of(text));
  }

  private void recover(LocalCatalogStore store) {
    nowNanos += LocalCatalogStore.PAUSE_NANOS_MAX;
    store.tend();
  }

  @Test
  void a_failed_write_is_rolled_back_in_new_files_when_the_disk_recovers() throws IOException {
    LocalCatalogStore store = open();
    store.write(set("a", "1"));
    disk.keepsInCache = () -> true;
    disk.fails = () -> true;
    assertThatThrownBy(() -> store.write(set("a", "2")))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContaining("Input/output error");
    assertThat(store.condition()).isEqualTo(DiskCondition.STORAGE_FAILED);
    assertThat(store.isInDoubt()).isTrue();
    disk.fails = () -> false;
    assertThatThrownBy(() -> store.write(set("b", "1")))
        .isExactlyInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("this attempt stored nothing");
    store.tend(); // Too early.
    assertThat(store.isInDoubt()).isTrue();
    recover(store);
    assertThat(store.condition()).isEqualTo(DiskCondition.UP);
    assertThat(store.all()).isEqualTo(Map.of("a", "1")).isEqualTo(disk.durable);
    store.write(set("b", "1"));
    disk.losePower();
    assertThat(open().all()).isEqualTo(Map.of("a", "1", "b", "1"));
    assertThat(store.syncs()).as("counts over openings").isEqualTo(3);
    store.close();
    assertThatThrownBy(() -> store.write(set("c", "1"))).isInstanceOf(RefusedException.class);
  }

  @Test
  void a_store_without_room_says_so_until_there_is_room() throws IOException {
    LocalCatalogStore store = open();
    disk.failure = new DiskFullException("injected: no room");
    disk.fails = () -> true;
    assertThatThrownBy(() -> store.write(set("a", "1")))
        .isInstanceOf(UnknownOutcomeException.class);
    recover(store);
    assertThat(store.condition()).isEqualTo(DiskCondition.DISK_FULL);
    disk.fails = () -> false;
    recover(store);
    assertThat(store.condition()).isEqualTo(DiskCondition.UP);
    assertThat(store.all()).isEmpty();
  }

  @Test
  void attempts_to_recover_get_rare() throws IOException {
    LocalCatalogStore store = open();
    disk.fails = () -> true;
    assertThatThrownBy(() -> store.write(set("a", "1")))
        .isInstanceOf(UnknownOutcomeException.class);
    int[] attempts = new int[1];
    disk.fails =
        () -> {
          attempts[0]++;
          return true;
        };
    long endNanos = nowNanos + 10 * LocalCatalogStore.PAUSE_NANOS_MAX;
    while (nowNanos < endNanos) {
      nowNanos += LocalCatalogStore.PAUSE_NANOS_MIN / 2;
      store.tend();
    }
    assertThat(attempts[0]).isBetween(10, 16);
  }

  @Test
  void a_sync_that_hangs_is_a_stalled_disk_while_it_hangs() throws IOException {
    LocalCatalogStore store = open();
    DiskCondition[] seen = new DiskCondition[2];
    disk.inWrite =
        () -> {
          nowNanos += DiskWatch.STALLED_NANOS;
          seen[0] = store.condition();
          nowNanos++;
          seen[1] = store.condition();
        };
    store.write(set("a", "1"));
    assertThat(seen).containsExactly(DiskCondition.UP, DiskCondition.DISK_STALLED);
    assertThat(store.condition()).isEqualTo(DiskCondition.UP);
  }

  @Test
  void what_was_acknowledged_stays_and_what_was_refused_never_comes() throws IOException {
    for (int seed = 0; seed < WORLDS; seed++) {
      try {
        runWorld(new Random(seed));
      } catch (AssertionError | IOException | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void runWorld(Random random) throws IOException {
    disk.durable = new TreeMap<>();
    disk.cache = Optional.empty();
    disk.keepsInCache = random::nextBoolean;
    disk.fails = () -> false;
    LocalCatalogStore store = open();
    Map<String, String> acknowledged = new TreeMap<>();
    Optional<Map<String, String>> doubtful = Optional.empty();
    for (int step = 0; step < STEPS; step++) {
      int failing = random.nextInt(4) == 0 ? random.nextInt(100) : 0;
      disk.fails = () -> random.nextInt(100) < failing;
      Map<String, Optional<String>> changes = changes(random, step);
      Map<String, String> after = new TreeMap<>(acknowledged);
      CatalogStore.apply(changes, after);
      try {
        store.write(changes);
        assertThat(doubtful).as("a write while one is in doubt").isEmpty();
        acknowledged = after;
      } catch (UnknownOutcomeException e) {
        doubtful = Optional.of(after);
      } catch (StoreUnavailableException e) {
        assertThat(doubtful).isPresent();
      }
      nowNanos += random.nextInt(1_000_000_000);
      store.tend();
      if (!store.isInDoubt()) {
        doubtful = Optional.empty();
        assertThat(store.all()).isEqualTo(acknowledged);
      }
      if (random.nextInt(20) == 0) {
        disk.fails = () -> false;
        if (random.nextBoolean()) {
          disk.losePower();
        }
        store = open();
        Map<String, String> found = store.all();
        if (!doubtful.equals(Optional.of(found))) {
          assertThat(found).isEqualTo(acknowledged);
        }
        acknowledged = found;
        doubtful = Optional.empty();
      }
    }
    disk.fails = () -> false;
    recover(store);
    assertThat(store.condition()).isEqualTo(DiskCondition.UP);
    assertThat(store.all()).isEqualTo(acknowledged).isEqualTo(disk.durable);
  }

  private static Map<String, Optional<String>> changes(Random random, int step) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String name = "n" + random.nextInt(5);
      changes.put(name, random.nextBoolean() ? Optional.of("t" + step) : Optional.empty());
    }
    return changes;
  }

  @Test
  void the_files_of_a_catalog_keep_their_texts_over_openings(@TempDir Path directory)
      throws IOException {
    try (RocksCatalogFile file = new RocksCatalogFile(directory)) {
      file.write(set("a", "1"));
      file.write(Map.of("a", Optional.empty(), "b", Optional.of("2")));
      assertThat(file.texts(List.of("a", "b")))
          .isEqualTo(Map.of("a", Optional.empty(), "b", Optional.of("2")));
      assertThat(file.syncs()).isEqualTo(2);
    }
    try (RocksCatalogFile file = new RocksCatalogFile(directory)) {
      assertThat(file.all()).isEqualTo(Map.of("b", "2"));
    }
  }
}
