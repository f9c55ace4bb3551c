package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;

/** The console of an open server, whose table of 128 partitions is written and consumed. */
@Tag("proof-console")
class ConsoleTest {

  private static final Browser.View WIDE = new Browser.View(1280, false);

  /** Pages by name: the address, and what is there when the page has its data. */
  private static final Map<String, String[]> PAGES =
      Map.of(
          "overview", new String[] {"#/", "hour-chart canvas"},
          "tables", new String[] {"#/tables", "tbody tr"},
          "table", new String[] {"#/tables/" + LoadedTable.TABLE, "tbody .bar"},
          "tunnels", new String[] {"#/tunnels", "tbody tr"},
          "tunnel", new String[] {"#/tunnels/orders/" + LoadedTable.TUNNEL, ".cell.stopped"},
          "alone", new String[] {"#/cluster", "page-cluster .note"});

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;
  private static LoadedTable load;
  private static Browser browser;

  @BeforeAll
  static void begin() {
    browser = STAGE.closing(Browser.start());
    server = STAGE.server();
    load = LoadedTable.on(STAGE, server);
  }

  @BeforeEach
  void the_overview_is_live() {
    browser.show(WIDE);
    browser.open("http://127.0.0.1:" + server.httpPort() + "/");
    browser.element("#feed.live");
  }

  @AfterEach
  void nothing_was_refused_by_the_browser_and_no_data_was_run() {
    browser.requireQuiet();
    assertThat(browser.script("return window.hacked ?? 0")).isEqualTo(0L);
  }

  private static void go(String hash) {
    browser.script("location.hash = arguments[0]", hash);
  }

  private static DescribeTunnelResponse tunnel(String name) {
    return load.tunnels().describeTunnel(new DescribeTunnelRequest(LoadedTable.TABLE, name));
  }

  private static long checkpointed(String tunnel) {
    return tunnel(tunnel).getChannelInfos().stream().mapToLong(ChannelInfo::checkpointed).sum();
  }

  @ParameterizedTest
  @MethodSource("io.tunnel.it.console.Browser$View#all")
  void every_page_is_readable_by_everybody(Browser.View view) {
    browser.show(view);
    PAGES.forEach(
        (name, page) -> {
          go(page[0]);
          browser.element(page[1]);
          assertThat(browser.findings()).as("%s, %s", name, view).isEmpty();
          assertThat(browser.overflow()).as("%s, %s", name, view).isZero();
          if (view.equals(WIDE) || (view.width() < WIDE.width() && view.isDark())) {
            browser.shot(name + (view.equals(WIDE) ? "" : "-narrow"));
          }
        });
  }

  @Test
  void the_overview_shows_rates_as_they_are() {
    for (int figure : new int[] {2, 3}) {
      String css = ".figure:nth-of-type(" + figure + ") dd";
      Poll.until(
          Poll.LONG,
          () -> browser.text(css).matches("(?s)[1-9][0-9,]* rows/s.*"),
          () -> "no rate in " + browser.text(".figures"));
    }
    browser.awaitText("page-overview", LoadedTable.TUNNEL);
  }

  @Test
  void a_tunnel_shows_all_its_channels_and_where_one_has_stopped() {
    go("#/tunnels/orders/" + LoadedTable.TUNNEL);
    browser.element(".cell.stopped");
    assertThat(browser.count(".cell")).isEqualTo(LoadedTable.PARTITIONS);
    browser.awaitText("page-tunnel", "cannot book " + LoadedTable.MARKUP);
    browser.awaitText("page-tunnel", "worker-0" + LoadedTable.MARKUP);
    browser.click(".cell");
    String first = browser.element("#channel h3").getText();
    browser.element(".cell").sendKeys(Keys.ARROW_RIGHT);
    Poll.until(
        "the arrow leads to no other channel",
        () -> !browser.element("#channel h3").getText().equals(first));
    browser.shot("channel");
  }

  @Test
  void rows_are_shown_as_text_and_long_values_are_cut() {
    go("#/tables/" + LoadedTable.TABLE);
    browser.click("#browse button");
    browser.awaitText("page-table", LoadedTable.MARKUP);
    browser.awaitText("page-table", "<b>note</b> STRING");
    browser.awaitText("page-table", "cut, 1.91 MiB in all");
    browser.script("document.querySelector('#browse').scrollIntoView()");
    browser.shot("rows");
    assertThat(browser.findings()).isEmpty();
    String page = browser.text("#browse + div");
    browser.click("#next-rows");
    Poll.until("no other rows", () -> !browser.text("#browse + div").equals(page));
  }

  @Test
  void a_seek_by_clicks_moves_progress_after_its_effect_was_shown() {
    go("#/tunnels/orders/" + LoadedTable.IDLE);
    browser.click("#seek");
    browser.element("dialog select").sendKeys("latest");
    browser.click("#operation-go");
    browser.awaitText("dialog .effect", "128 channels would move: ");
    assertThat(browser.findings()).isEmpty();
    browser.shot("seek");
    assertThat(checkpointed(LoadedTable.IDLE)).isZero();
    browser.click("#operation-go");
    browser.awaitText("#operation-done", " moved: ");
    assertThat(checkpointed(LoadedTable.IDLE)).isPositive();
    browser.click("#operation-close");
    Poll.until("the dialog stays open", () -> !browser.isShown("dialog"));
  }

  @Test
  void a_tunnel_is_paused_and_resumed_by_clicks() {
    go("#/tunnels/orders/" + LoadedTable.IDLE);
    browser.click("#pause");
    browser.awaitText("dialog", "Delivery stops until it is resumed.");
    assertThat(tunnel(LoadedTable.IDLE).isPaused()).isFalse();
    browser.click("#operation-go");
    browser.awaitText("#operation-done", "tunnel idle of table orders paused");
    assertThat(tunnel(LoadedTable.IDLE).isPaused()).isTrue();
    browser.click("#operation-close");
    browser.awaitText("page-tunnel", "PAUSED");
    browser.click("#resume");
    browser.click("#operation-go");
    browser.element("#operation-done");
    assertThat(tunnel(LoadedTable.IDLE).isPaused()).isFalse();
  }

  @Test
  void progress_is_cloned_by_clicks_to_a_tunnel_that_is_made_for_it() {
    go("#/tunnels/orders/" + LoadedTable.TUNNEL);
    browser.click("#clone");
    browser.type("dialog input", "copy");
    browser.click("#operation-go");
    browser.awaitText("dialog .effect", "Tunnel copy does not exist.");
    browser.click("#operation-go");
    browser.awaitText("#operation-done", " moved");
    assertThat(checkpointed("copy")).isPositive();
  }

  @Test
  void retention_is_changed_by_clicks() {
    go("#/tables/" + LoadedTable.TABLE);
    browser.click("#alter");
    browser.element("dialog input[name=age]").clear();
    browser.type("dialog input[name=age]", "7d");
    browser.click("#operation-go");
    browser.awaitText("dialog .effect", "Retention is for ever, and would be 7 d 00 h.");
    browser.click("#operation-go");
    browser.awaitText("#operation-done", "Retention is 7 d 00 h now.");
    try (TableClient tables = TableClient.connect(server.client())) {
      assertThat(tables.describeTable(LoadedTable.TABLE).meta().options().retentionMs())
          .isEqualTo(7 * 24 * 3_600_000L);
    }
  }
}
