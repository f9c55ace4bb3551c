package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.TableClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** The console of a server with 10,000 tables, one of which has 1,000 partitions. */
@Tag("proof-console")
class LargeConsoleTest {

  private static final int TABLES = 10_000;
  private static final int CHANNELS = 1_000;
  private static final int CREATORS = 16;
  private static final String CATALOG =
      "{\"catalog\":{\"tablesMax\":20000,\"partitionsMax\":20000}}";

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;
  private static Browser browser;

  @BeforeAll
  static void begin() throws Exception {
    browser = STAGE.closing(Browser.start());
    Path config = Files.writeString(STAGE.path("config.json"), CATALOG);
    server = STAGE.shippedServer("--config", config.toString());
    TableClient tables = STAGE.tables(server);
    TestTable wide = new TestTable("wide", CHANNELS);
    wide.create(tables);
    wide.createTunnel(STAGE.tunnels(server), "audit");
    try (Creators creators = new Creators(Executors.newFixedThreadPool(CREATORS))) {
      List<Future<?>> made = new ArrayList<>();
      for (int i = 1; i < TABLES; i++) {
        TestTable table = new TestTable("t%05d".formatted(i), 1);
        made.add(creators.threads().submit(() -> table.create(tables)));
      }
      for (Future<?> each : made) {
        assertThat(each.get()).isNotNull();
      }
    }
  }

  private record Creators(ExecutorService threads) implements AutoCloseable {
    @Override
    public void close() {
      threads.shutdownNow();
    }
  }

  @BeforeEach
  void the_overview_is_live() {
    browser.open("http://127.0.0.1:" + server.httpPort() + "/");
    browser.element("#feed.live");
  }

  private static void requireReadable(String page, String css) {
    for (Browser.View view : Browser.View.all()) {
      browser.show(view);
      browser.script("location.hash = arguments[0]", page);
      browser.element(css);
      assertThat(browser.findings()).as("%s, %s", page, view).isEmpty();
      assertThat(browser.overflow()).as("%s, %s", page, view).isZero();
    }
    browser.show(Browser.View.all().get(0));
    browser.requireQuiet();
  }

  @Test
  void a_table_is_found_among_ten_thousand() {
    requireReadable("#/tables", "tbody tr");
    browser.awaitText("page-tables .tools", "10,000 tables");
    browser.awaitText(".pager", "1 to 20 of 10,000");
    browser.awaitRow("t00020", "for ever");
    browser.click(".pager button:last-child");
    browser.awaitText(".pager", "21 to 40 of 10,000");
    browser.awaitRow("t00021", "for ever");
    browser.type("input[type=search]", "t0999");
    browser.awaitText("page-tables .tools", "10 tables");
    assertThat(browser.count("tbody tr")).isEqualTo(10);
    browser.click("tbody a");
    browser.awaitText("h1", "Table t09990");
    browser.element("tbody .bar");
  }

  @Test
  void a_thousand_channels_are_one_grid_that_the_keyboard_walks() {
    requireReadable("#/tunnels/wide/audit", ".cell");
    assertThat(browser.count(".cell")).isEqualTo(CHANNELS);
    browser.awaitText("page-tunnel .facts", "1,000 channels, 0 held");
    browser.click(".cell");
    browser.awaitText("#channel h3", "Channel ");
    String first = browser.text("#channel h3");
    browser.element(".cell").sendKeys(Keys.END);
    Poll.until("the last channel is not shown", () -> !browser.text("#channel h3").equals(first));
    Object last =
        browser.script("return [...document.querySelectorAll('.cell')].at(-1).ariaPressed");
    assertThat(last).isEqualTo("true");
    browser.shot("thousand");
    requireReadable("#/tables/wide", "tbody .bar");
  }

  @Test
  void a_seek_of_a_thousand_channels_shows_its_effect() {
    browser.script("location.hash = '#/tunnels/wide/audit'");
    browser.click("#seek");
    browser.fill("dialog select", "latest");
    browser.click("#operation-go");
    browser.awaitText("dialog .effect", "1,000 channels would move");
    assertThat(browser.findings()).isEmpty();
  }
}
