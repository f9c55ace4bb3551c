package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.console.Requests.Request;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console of a cluster of three real nodes over a real Kafka. */
@Tag("proof-console")
class ClusterConsoleTest {

  private static final int PARTITIONS = 6;

  @RegisterExtension final Stage stage = new Stage();

  private Cluster cluster;
  private Browser browser;

  private void begin() {
    browser = stage.closing(Browser.start());
    cluster = new Cluster(stage, 3).start(3);
    Scene scene = new Scene(stage, cluster, PARTITIONS);
    Object unused = scene.worker(scene.tunnel("audit", TunnelType.Stream), "auditor");
    unused = scene.writer();
    cluster.awaitWhole();
    browser.show(Browser.View.all().get(0));
    browser.open("http://127.0.0.1:" + cluster.node(0).httpPort() + "/#/cluster");
    for (int i = 0; i < 3; i++) {
      browser.awaitRow(cluster.node(i).name(), "● up");
    }
  }

  /** Rows are written and delivered, as the figures of all nodes together say. */
  private void awaitRates() {
    Poll.until(
        Cluster.REST,
        () -> browser.row("all nodes").matches("(?s)all nodes\\s+[1-9][0-9,.]*\\s+[1-9].*"),
        () -> browser.text("page-cluster"));
  }

  private NodeDescription seen(NodeProcess node) {
    return Cluster.seenBy(cluster.node(0)).nodes().stream()
        .filter(each -> each.name().equals(node.name()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(node.name() + " is not in the cluster"));
  }

  /** Pages of the cluster are readable in every view, as they are now. */
  private void requireReadable() {
    for (Browser.View view : Browser.View.all()) {
      browser.show(view);
      assertThat(browser.findings()).as("%s", view).isEmpty();
      assertThat(browser.overflow()).as("%s", view).isZero();
    }
    browser.show(Browser.View.all().get(0));
  }

  @Test
  void a_node_is_drained_and_taken_back_by_clicks_and_a_stopped_node_is_missing_until_it_is_back() {
    begin();
    NodeProcess drained = cluster.node(1);
    Requests requests = new Requests(browser);
    browser.click("[aria-label='Drain node " + drained.name() + "']");
    browser.awaitText("dialog .same code", "tunnel cluster drain " + drained.name());
    browser.click("#operation-go");
    browser.awaitText(
        "dialog .effect",
        "Node "
            + drained.name()
            + " would give up "
            + seen(drained).leads().size()
            + " partitions");
    assertThat(requests.all()).isEmpty();
    assertThat(seen(drained).isDraining()).isFalse();
    browser.click("#operation-go");
    browser.awaitText("#operation-done", "node " + drained.name() + " gives up what it leads");
    String node = "?node=" + drained.name();
    assertThat(requests.all())
        .containsExactly(
            new Request("DRAIN_NODE", node, Requests.of("", "{\"isDraining\":true}").payload()));
    browser.click("#operation-close");
    browser.awaitRow(drained.name(), "○ drained");
    assertThat(seen(drained).isDraining()).isTrue();
    assertThat(seen(drained).leads()).isEmpty();
    browser.awaitText("page-cluster", "node " + drained.name() + ": ○ drained");

    NodeProcess stopped = cluster.node(2);
    stopped.stop();
    Poll.until(
        Cluster.REST,
        () -> browser.row(stopped.name()).matches("(?s).*✖ gone, seen 20[0-9TZ:. -]+, .* ago.*"),
        () -> browser.text("page-cluster"));
    browser.awaitText("page-cluster", "node " + stopped.name() + " left");
    requireReadable();

    browser.click("[aria-label='Let node " + drained.name() + " take part again']");
    browser.awaitText("dialog .same code", "drain " + drained.name() + " --undo");
    browser.click("#operation-go");
    browser.awaitText("#operation-done", "node " + drained.name() + " takes part again");
    assertThat(requests.all().get(1))
        .isEqualTo(
            new Request("DRAIN_NODE", node, Requests.of("", "{\"isDraining\":false}").payload()));
    browser.click("#operation-close");
    browser.awaitRow(drained.name(), "● up");
    Poll.until(
        Cluster.REST,
        () -> seen(drained).leads().size() == PARTITIONS / 2,
        () -> browser.text("page-cluster"));
    awaitRates();
    browser.shot("cluster");

    stopped.begin();
    stopped.awaitReady();
    cluster.awaitWhole();
    browser.awaitRow(drained.name(), "● up");
    browser.awaitRow(stopped.name(), "● up");
    browser.awaitText("page-cluster", "node " + stopped.name() + " joined");
    assertThat(seen(drained).leads()).hasSize(PARTITIONS / 3);
    // A node that goes away does not answer for a moment.
    browser.requireQuiet("status of 503", "status of 504", "status of 404");
  }
}
