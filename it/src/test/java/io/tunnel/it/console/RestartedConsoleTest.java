package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A page whose server goes away and comes back. */
@Tag("proof-console")
class RestartedConsoleTest {

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void the_page_says_that_the_server_is_gone_and_goes_on_after_its_restart() {
    Browser browser = stage.closing(Browser.start());
    ServerProcess server = stage.server();
    browser.open("http://127.0.0.1:" + server.httpPort() + "/#/tables");
    browser.element("#feed.live");
    browser.awaitText("page-tables", "tunnel tables create");
    server.kill();
    browser.awaitText("#remarks", "The server does not answer.");
    server.start();
    browser.element("#feed.live");
    assertThat(browser.text("#remarks")).isBlank();
    // The new server does not know the page's session, until the page has asked for another.
    browser.requireQuiet(
        "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "ERR_CONNECTION_RESET", "status of 403");
  }

  @Test
  void the_page_says_that_its_figures_are_old_while_the_server_stands_still() {
    Browser browser = stage.closing(Browser.start());
    ServerProcess server = stage.server();
    browser.open("http://127.0.0.1:" + server.httpPort() + "/");
    browser.element("#feed.live");
    browser.element(".figures");
    server.suspend();
    browser.awaitText("#stale", "No news from the server for ");
    browser.awaitText("#stale", "The figures shown are old.");
    assertThat(browser.isShown("#feed.live")).isFalse();
    assertThat(browser.isShown(".figures")).isTrue();
    assertThat(browser.findings()).isEmpty();
    server.resume();
    browser.element("#feed.live");
    Poll.until("the remark stays", () -> browser.text("#remarks").isBlank());
  }
}
