package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes that are followed in the browser, and many windows of one browser. */
@Tag("proof-console")
class TailConsoleTest {

  /** A browser has six connections to a server. */
  private static final int WINDOWS = 7;

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TableClient tables;
  private TunnelClient tunnels;
  private Browser browser;

  @BeforeEach
  void a_table_has_a_tunnel() {
    browser = stage.closing(Browser.start());
    server = stage.server();
    tables = stage.tables(server);
    tunnels = stage.tunnels(server);
    TestTable table = new TestTable("orders", 2);
    table.create(tables);
    assertThat(table.createTunnel(tunnels, "audit")).isNotEmpty();
  }

  private void put(long hash, String id, String text) {
    tables.write(
        "orders",
        List.of(
            new RowPutChange(
                TestTable.key(hash, id),
                List.of(new Column("note", ColumnValue.fromString(text))))));
  }

  private void open(String page) {
    browser.open("http://127.0.0.1:" + server.httpPort() + "/" + page);
    browser.element("#feed.live");
  }

  private String shown() {
    return browser.text("page-tail tbody");
  }

  @Test
  void changes_are_followed_with_a_pause_and_move_no_tunnel() {
    browser.show(Browser.View.all().get(0));
    open("#/tail/orders/1");
    browser.awaitText("page-tail", "No change has come yet.");
    put(1, "first", LoadedTable.MARKUP);
    browser.awaitText("page-tail tbody", "first");
    browser.awaitText("page-tail tbody", LoadedTable.MARKUP);
    put(1_001, "elsewhere", "of the other partition");
    browser.click("#tail-pause");
    browser.awaitText("#tail-status", "paused");
    put(1, "second", "while paused");
    assertThat(shown()).doesNotContain("second");
    browser.click("#tail-pause");
    browser.awaitText("page-tail tbody", "second");
    assertThat(shown()).doesNotContain("elsewhere");
    assertThat(shown().indexOf("second"))
        .as("the newest first")
        .isLessThan(shown().indexOf("first"));
    for (Browser.View view : Browser.View.all()) {
      browser.show(view);
      assertThat(browser.findings()).as("%s", view).isEmpty();
      assertThat(browser.overflow()).as("%s", view).isZero();
    }
    assertThat(browser.script("return window.hacked ?? 0")).isEqualTo(0L);
    DescribeTunnelResponse tunnel =
        tunnels.describeTunnel(new DescribeTunnelRequest("orders", "audit"));
    assertThat(tunnel.sessionInfos()).isEmpty();
    assertThat(tunnel.getChannelInfos()).extracting(ChannelInfo::checkpointed).containsOnly(0L);
    browser.requireQuiet();
  }

  @Test
  void changes_of_one_key_are_followed_from_the_oldest_that_is_kept() {
    browser.show(Browser.View.all().get(0));
    for (int i = 0; i < 20; i++) {
      put(i % 4, "k" + i, "order " + i);
    }
    open("#/tail/orders/1");
    browser.element("#tail-from input");
    browser.script(
        "const from = document.querySelector('#tail-from select'); from.value = 'earliest';"
            + "from.dispatchEvent(new Event('change', {bubbles: true}))");
    browser.type("#tail-from input[name='key:hash']", "3");
    browser.click("#tail-from .primary");
    browser.awaitText("page-tail tbody", "k19");
    Poll.until("not all changes of the key", () -> browser.count("page-tail tbody tr") == 5);
    put(2, "other", "of another key");
    put(3, "new", "of the key");
    browser.awaitText("page-tail tbody", "of the key");
    assertThat(shown()).doesNotContain("of another key");
    assertThat(browser.count("page-tail tbody tr")).isEqualTo(6);
    browser.shot("tail");
    browser.requireQuiet();
  }

  @Test
  void more_windows_than_a_browser_has_connections_are_live_at_once() {
    List<String> windows = new ArrayList<>();
    for (int i = 0; i < WINDOWS; i++) {
      windows.add(browser.anotherWindow());
      open("#/");
    }
    for (String window : windows) {
      browser.to(window);
      assertThat(browser.isShown("#feed.live")).as("a window of %s", WINDOWS).isTrue();
      browser.script("location.hash = '#/tables'");
      browser.awaitRow("orders", "for ever");
    }
    put(1, "seen", "in all windows");
    for (String window : windows) {
      browser.to(window);
      browser.script("location.hash = '#/tables/orders'");
      browser.element("tbody .bar");
      assertThat(browser.isShown("#feed.live")).isTrue();
    }
  }
}
