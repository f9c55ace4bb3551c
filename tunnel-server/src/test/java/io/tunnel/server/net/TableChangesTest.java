package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.LogTakenException;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.session.LedTunnels;
import io.tunnel.wire.control.Control.CreateTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TableChangesTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final FakeLogs logs = new FakeLogs();
  private final Deque<Runnable> control = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final List<Exception> failed = new ArrayList<>();
  private Catalog catalog;
  private TableChanges changes;

  /** Writes down what is asked of it, and does it when the test says so. */
  private static final class FakeLogs implements TableLogs {
    private final List<String> asked = new ArrayList<>();
    private final Deque<CompletableFuture<Void>> open = new ArrayDeque<>();
    private Bytes origin = Bytes.fromHex("01");
    private CompletableFuture<Void> heard = CompletableFuture.completedFuture(null);

    private CompletableFuture<Void> ask(String what) {
      asked.add(what);
      open.add(new CompletableFuture<>());
      return open.peekLast();
    }

    @Override
    public boolean areShared() {
      return true;
    }

    @Override
    public CompletableFuture<Void> heard() {
      return heard;
    }

    @Override
    public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
      return ask("create " + table.meta().name() + " " + table.tableId())
          .thenApply(made -> Optional.of(origin));
    }

    @Override
    public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
      return ask("alter " + table.meta().name() + " " + options.retentionMs());
    }

    @Override
    public CompletableFuture<Void> drop(TableRecord table) {
      return ask("drop " + table.meta().name());
    }
  }

  @BeforeEach
  void open() throws IOException {
    catalog = new Catalog(store);
    changes =
        new TableChanges(
            catalog, logs, new LedTunnels(catalog, ClusterView.none()), control::add, () -> 0);
  }

  private TableChanges.ChangeAnswer answer() {
    return new TableChanges.ChangeAnswer() {
      @Override
      public void done(Optional<TableRecord> table) {
        done.add(
            table
                .map(each -> each.meta().name() + " " + each.meta().options().retentionMs())
                .orElse("dropped"));
      }

      @Override
      public void failed(Exception reason) {
        failed.add(reason);
      }
    };
  }

  private static TableOptions options(long retentionMs, long retentionBytes) {
    return new TableOptions(Durability.FSYNC, retentionMs, retentionBytes);
  }

  private void create(String name, TableOptions options) {
    create(name, options, Asked.NAMELESS);
  }

  private void create(String name, TableOptions options, Asked asked) {
    changes.create(
        new CreateTable(new TableMeta(name, TestRows.SCHEMA, options), List.of()), asked, answer());
  }

  private static Asked asked(String id, String what) {
    return new Asked(Optional.of(id), what);
  }

  /** Another node, or the same one again, decides from now on. */
  private void replaceLeader() throws IOException {
    open();
    failed.clear();
  }

  private void logged() {
    logs.open.remove().complete(null);
    runControl();
  }

  private void runControl() {
    while (!control.isEmpty()) {
      control.remove().run();
    }
  }

  private static ErrorCode code(Exception reason) {
    return ((RefusedException) reason).code();
  }

  @Test
  void a_table_is_in_the_catalog_only_when_it_has_a_log() {
    create("a", options(0, 0));
    create("b", options(0, 0));
    assertThat(logs.asked).containsExactly("create a 1");
    assertThat(catalog.tables()).isEmpty();
    logged();
    assertThat(done).containsExactly("a 0");
    assertThat(catalog.table("a").tableId()).isEqualTo(1);
    assertThat(logs.asked).containsExactly("create a 1", "create b 2");
    logged();
    assertThat(done).containsExactly("a 0", "b 0");
  }

  @Test
  void what_has_no_log_does_not_exist_and_the_next_is_not_held_up() {
    create("a", options(0, 0));
    create("a", options(0, 0));
    logs.open.remove().completeExceptionally(new IOException("no broker answers"));
    runControl();
    assertThat(code(failed.get(0))).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(catalog.tables()).isEmpty();
    assertThat(logs.asked).as("with the same id").containsExactly("create a 1", "create a 1");
    store.fail(true);
    logged();
    assertThat(failed.get(1)).isInstanceOf(IOException.class);
    store.fail(false);
    create("a", options(0, 0));
    logged();
    assertThat(done).containsExactly("a 0");
    create("a", options(0, 0));
    assertThat(code(failed.get(2))).isEqualTo(ErrorCode.TABLE_EXISTS);
    assertThat(logs.open).as("no log is asked for").isEmpty();
  }

  @Test
  void a_log_that_is_not_of_the_table_is_passed_over_and_its_id_never_used() throws IOException {
    create("a", options(0, 0));
    taken();
    taken();
    assertThat(logs.asked).containsExactly("create a 1", "create a 2", "create a 3");
    logged();
    assertThat(done).containsExactly("a 0");
    assertThat(catalog.table("a").tableId()).isEqualTo(3);
    assertThat(catalog.table("a").partitions().get(0).id()).isEqualTo(1);
    assertThat(catalog.isDropped(1)).as("it is the id of another's table").isFalse();
    assertThat(catalog.isDropped(2)).isFalse();
    assertThat(catalog.droppedLogs()).isEmpty();
    replaceLeader();
    assertThat(catalog.isDropped(2)).as("and stays so").isFalse();
    create("b", options(0, 0));
    logged();
    assertThat(catalog.table("b").tableId()).isEqualTo(4);
  }

  @Test
  void so_many_changes_wait_and_not_more() {
    for (int i = 0; i < TableChanges.WAITING_MAX + 1; i++) {
      create("t" + i, options(0, 0));
    }
    assertThat(failed).isEmpty();
    changes.drop("t0", Asked.NAMELESS, answer());
    assertThat(code(failed.get(0))).isEqualTo(ErrorCode.BUSY);
    logged();
    changes.drop("t0", Asked.NAMELESS, answer());
    assertThat(failed).as("there is room again").hasSize(1);
  }

  @Test
  void so_many_logs_are_passed_over_and_not_more() {
    create("a", options(0, 0));
    create("b", options(0, 0));
    for (int i = 0; i <= TableChanges.LOGS_PASSED_MAX; i++) {
      assertThat(failed).isEmpty();
      taken();
    }
    assertThat(code(failed.get(0))).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(logs.asked).hasSize(TableChanges.LOGS_PASSED_MAX + 2).endsWith("create b 1");
    logged();
    assertThat(done).containsExactly("b 0");
  }

  private void taken() {
    logs.open.remove().completeExceptionally(new LogTakenException("8 partitions", null));
    runControl();
  }

  @Test
  void a_shared_log_keeps_changes_by_their_age_and_their_size() {
    create("a", options(1_000, 7));
    logged();
    assertThat(catalog.table("a").meta().options().retentionBytes()).isEqualTo(7);
    changes.alter("a", any -> options(1_000, 9), Asked.NAMELESS, answer());
    logged();
    assertThat(catalog.table("a").meta().options().retentionBytes()).isEqualTo(9);
    assertThat(failed).isEmpty();
  }

  @Test
  void more_is_kept_before_it_is_promised_and_less_is_promised_before_it_is_kept() {
    create("a", options(1_000, 0));
    logged();
    changes.alter("a", any -> options(2_000, 0), Asked.NAMELESS, answer());
    assertThat(catalog.table("a").meta().options().retentionMs()).isEqualTo(1_000);
    logged();
    assertThat(catalog.table("a").meta().options().retentionMs()).isEqualTo(2_000);
    changes.alter("a", any -> options(500, 0), Asked.NAMELESS, answer());
    assertThat(done).containsExactly("a 1000", "a 2000", "a 500");
    assertThat(logs.open).as("is told behind it").hasSize(1);
    changes.alter("a", any -> options(0, 0), Asked.NAMELESS, answer());
    assertThat(logs.asked).as("not as long as less may still come").endsWith("alter a 500");
    logs.open.remove().completeExceptionally(new IOException("no broker answers"));
    runControl();
    assertThat(failed).isEmpty();
    assertThat(logs.asked).endsWith("alter a 500", "alter a 0");
    assertThat(catalog.table("a").meta().options().retentionMs()).as("for ever").isEqualTo(500);
    logs.open.remove().completeExceptionally(new IOException("no broker answers"));
    runControl();
    assertThat(code(failed.get(0))).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(catalog.table("a").meta().options().retentionMs()).isEqualTo(500);
  }

  @Test
  void a_longer_life_of_rows_is_answered_when_all_leaders_have_heard_of_it() throws IOException {
    create("a", options(1_000, 0).withTtl(Duration.ofSeconds(10)));
    logged();
    logs.heard = new CompletableFuture<>();
    Asked asked = asked("longer", "a");
    UnaryOperator<TableOptions> longer = before -> before.withTtl(Duration.ofSeconds(20));
    changes.alter("a", longer, asked, answer());
    assertThat(catalog.table("a").meta().options().ttlMs()).contains(20_000L);
    assertThat(done).containsExactly("a 1000");
    logs.open.remove().complete(null);
    runControl();
    // The alteration comes again, also to the next leader of the catalog, and waits as long.
    changes.alter("a", longer, asked, answer());
    assertThat(done).containsExactly("a 1000");
    CompletableFuture<Void> former = logs.heard;
    replaceLeader();
    logs.heard = new CompletableFuture<>();
    changes.alter("a", longer, asked, answer());
    former.complete(null);
    runControl();
    assertThat(done).containsExactly("a 1000", "a 1000", "a 1000");
    logs.heard.complete(null);
    runControl();
    assertThat(done).hasSize(4);
    logs.heard = new CompletableFuture<>();
    changes.alter("a", before -> before.withTtl(Duration.ofSeconds(5)), Asked.NAMELESS, answer());
    assertThat(done).as("a shorter life is answered at once").hasSize(5);
    assertThat(failed).isEmpty();
  }

  @Test
  void a_change_is_of_the_options_that_the_change_before_it_has_left() {
    create("a", options(1_000, 0));
    logged();
    OptionsChange day = new OptionsChange().withRetention(Duration.ofDays(1));
    OptionsChange os = new OptionsChange().withDurability(Durability.OS);
    TableOptions before = catalog.table("a").meta().options();
    changes.alter("a", day::over, Asked.NAMELESS, answer());
    changes.alter("a", os::over, Asked.NAMELESS, answer());
    logged();
    logged();
    assertThat(catalog.table("a").meta().options()).isEqualTo(os.over(day.over(before)));
  }

  @Test
  void a_table_is_made_in_the_log_that_was_made_for_it_and_only_that_log_is_given_up_with_it()
      throws IOException {
    Bytes origin = Bytes.fromHex("0a0b");
    logs.origin = origin;
    create("a", options(0, 0));
    logged();
    assertThat(catalog.table("a").origin()).contains(origin);
    changes.alter("a", any -> options(5, 0), Asked.NAMELESS, answer());
    logged();
    assertThat(catalog.table("a").origin()).as("also when it is altered").contains(origin);
    changes.drop("a", Asked.NAMELESS, answer());
    assertThat(catalog.droppedLogs()).containsExactly(new DroppedLog(1, origin));
    replaceLeader();
    assertThat(catalog.droppedLogs()).as("it is stored").hasSize(1);
  }

  @Test
  void a_log_that_is_deleted_is_not_noted_any_more() throws IOException {
    create("a", options(0, 0));
    logged();
    changes.drop("a", Asked.NAMELESS, answer());
    logs.open.remove().completeExceptionally(new IOException("no broker answers"));
    runControl();
    assertThat(catalog.droppedLogs()).hasSize(1);
    create("b", options(0, 0));
    logged();
    changes.drop("b", Asked.NAMELESS, answer());
    logged();
    assertThat(catalog.droppedLogs()).containsExactly(new DroppedLog(1, logs.origin));
  }

  @Test
  void a_table_is_dropped_before_its_log_is() throws IOException {
    create("a", options(0, 0));
    logged();
    store.fail(true);
    changes.drop("a", Asked.NAMELESS, answer());
    assertThat(failed).hasSize(1);
    assertThat(logs.asked).containsExactly("create a 1");
    store.fail(false);
    changes.drop("a", Asked.NAMELESS, answer());
    assertThat(catalog.tables()).isEmpty();
    assertThat(logs.asked).containsExactly("create a 1", "drop a");
    assertThat(done).hasSize(2);
  }

  @Test
  void a_creation_of_which_nobody_knows_is_answered_by_the_next_leader_and_not_done_again()
      throws IOException {
    Asked asked = asked("1", "CREATE_TABLE a");
    create("a", options(0, 0), asked);
    store.loseWord();
    logged();
    assertThat(failed).singleElement().isInstanceOf(UnknownOutcomeException.class);
    replaceLeader();
    create("a", options(0, 0), asked);
    assertThat(failed).isEmpty();
    assertThat(done).containsExactly("a 0");
    assertThat(logs.open).as("no other log is made").isEmpty();
    create("a", options(0, 0), asked("2", "CREATE_TABLE a"));
    assertThat(code(failed.get(0))).isEqualTo(ErrorCode.TABLE_EXISTS);
  }

  @Test
  void a_creation_that_was_not_stored_is_done_when_it_comes_again() throws IOException {
    Asked asked = asked("1", "CREATE_TABLE a");
    create("a", options(0, 0), asked);
    store.fail(true);
    logged();
    assertThat(failed).hasSize(1);
    store.fail(false);
    replaceLeader();
    create("a", options(0, 0), asked);
    logged();
    assertThat(done).containsExactly("a 0");
    assertThat(catalog.tables()).hasSize(1);
  }

  @Test
  void a_copy_of_a_creation_waits_for_it_and_gets_its_answer() {
    Asked asked = asked("1", "CREATE_TABLE a");
    create("a", options(0, 0), asked);
    create("a", options(0, 0), asked);
    logged();
    assertThat(done).containsExactly("a 0", "a 0");
    assertThat(failed).isEmpty();
    assertThat(catalog.tables()).hasSize(1);
  }

  @Test
  void a_drop_and_an_alteration_of_which_nobody_knows_are_not_done_again() throws IOException {
    create("a", options(5, 0));
    logged();
    Asked alter = asked("1", "ALTER_TABLE a");
    store.loseWord();
    changes.alter("a", any -> options(2, 0), alter, answer());
    replaceLeader();
    changes.alter("a", any -> options(4, 0), Asked.NAMELESS, answer());
    logged();
    changes.alter("a", any -> options(2, 0), alter, answer());
    assertThat(catalog.table("a").meta().options().retentionMs())
        .as("what somebody else has done since stays")
        .isEqualTo(4);
    Asked drop = asked("2", "DROP_TABLE a");
    store.loseWord();
    changes.drop("a", drop, answer());
    replaceLeader();
    assertThat(catalog.tables()).isEmpty();
    done.clear();
    catalog.createTable(new TableMeta("a", TestRows.SCHEMA), List.of(), 0);
    changes.drop("a", drop, answer());
    assertThat(done).containsExactly("dropped");
    assertThat(catalog.tables()).as("the table that has its name now").hasSize(1);
    changes.drop("b", asked("2", "DROP_TABLE b"), answer());
    assertThat(code(failed.get(0)))
        .as("an id of another request")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }
}
