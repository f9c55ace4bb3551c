package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TunnelClient;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whitepaper's processor against the real server. */
@Tag("proof-programs")
class SampleTest {

  private static final int ROWS = 20_000;
  private static final Pattern REPORT = Pattern.compile("\\{.*\\}");

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void the_sample_counts_every_row_prints_its_rate_and_is_shut_down() {
    ServerProcess server = stage.server();
    TestTable table = new TestTable("perf", 8);
    var unused = table.create(stage.tables(server));
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "perf");
    ChildProcess sample =
        stage.child("sample", SampleMain.class.getName(), List.of(server.endpoint(), tunnelId));
    var unused2 = sample.awaitLine(Pattern.compile("working"));
    Ledger ledger = new Ledger(new WriterProcess(stage, server, table, 11, ROWS).awaitEnd());
    assertThat(ledger.count(Outcome.APPLIED)).isEqualTo(ROWS);

    JsonObject report = JsonParser.parseString(sample.awaitLine(REPORT).group()).getAsJsonObject();
    assertThat(report.get("total").getAsLong()).isPositive();
    new Channels(tunnels, "perf", "perf").awaitDrained();
    sample.tell("stop");
    assertThat(sample.awaitExit()).isZero();
    unused2 = sample.awaitLine(Pattern.compile("Mock shutdown"));
    assertThat(sample.awaitLine(Pattern.compile("total (\\d+)")).group(1)).isEqualTo("" + ROWS);
  }
}
