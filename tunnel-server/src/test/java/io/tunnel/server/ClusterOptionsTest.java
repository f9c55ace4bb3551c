package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.server.cluster.ClusterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ClusterOptionsTest {

  private static final String NODE = "--log kafka --bootstrap k1:9092 --node n1";

  @TempDir private Path directory;

  private static Optional<ClusterConfig> config(String host, String line) throws IOException {
    ClusterOptions options = new ClusterOptions();
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
    return options.config(host, 6_500);
  }

  private static ClusterConfig node(String more) throws IOException {
    return config("127.0.0.1", (NODE + " " + more).strip()).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--log local", "--log LOCAL"})
  void alone_unless_told_otherwise(String line) throws IOException {
    assertThat(config("127.0.0.1", line)).isEmpty();
  }

  @Test
  void what_is_not_said_has_a_default() throws IOException {
    ClusterConfig config = node("");
    assertThat(config.name()).isEqualTo("tunnel");
    assertThat(config.node()).isEqualTo("n1");
    assertThat(config.advertised()).isEmpty();
    assertThat(config.standbys()).isEqualTo(1);
    assertThat(config.log().bootstrap()).containsExactly("k1:9092");
    assertThat(config.log().replication()).isEqualTo(3);
    assertThat(config.log().minInsync()).isEqualTo(2);
    assertThat(config.log().sessionMs()).isEqualTo(6_500);
    assertThat(config.log().clientSettings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,1", "2,1", "3,2", "5,4"})
  void all_brokers_but_one_must_have_a_change(int replication, int minInsync) throws IOException {
    assertThat(node("--replication " + replication).log().minInsync()).isEqualTo(minInsync);
  }

  @Test
  void everything_can_be_said() throws IOException {
    ClusterConfig config =
        config(
                "0.0.0.0",
                "--log kafka --bootstrap k1:9092,[::1]:9093 --cluster prod --node n-2"
                    + " --advertise 10.0.0.5:7650 --standbys 2 --replication 5 --min-insync 3"
                    + " --session-ms 0.7s --level-auto")
            .orElseThrow();
    assertThat(config)
        .isEqualTo(
            new ClusterConfig(
                "prod",
                "n-2",
                Optional.of("10.0.0.5:7650"),
                2,
                true,
                new ClusterConfig.Log(List.of("k1:9092", "[::1]:9093"), 5, 3, 700, Map.of())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--bootstrap k1:9092",
        "--cluster c",
        "--level-auto",
        "--node n1",
        "--advertise h:1",
        "--standbys 1",
        "--replication 1",
        "--min-insync 1",
        "--session-ms 1000",
        "--kafka-config f",
        "--log local --node n1"
      })
  void an_option_of_a_cluster_without_a_shared_log_is_refused(String line) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config("127.0.0.1", line))
        .withMessageContaining("is an option of a node of a cluster: give --log kafka too");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--log kafka --node n1|needs --bootstrap",
        "--log kafka --bootstrap k:1|needs --node",
        "--log kafka --bootstrap k --node n1|'k' is not HOST:PORT",
        "--log kafka --bootstrap k:0 --node n1|'k:0' is not HOST:PORT",
        "--log kafka --bootstrap k:65536 --node n1|'k:65536' is not HOST:PORT",
        "--log kafka --bootstrap k:1 --node n.1|'n.1' is not a name",
        "--log kafka --bootstrap k:1 --node n1 --cluster -x|'-x' is not a name",
        "--log kafka --bootstrap k:1 --node n1 --advertise here|'here' is not HOST:PORT",
        "--log kafka --bootstrap k:1 --node n1 --standbys 9|standbys is 0 to 8, not 9",
        "--log kafka --bootstrap k:1 --node n1 --standbys -1|standbys is 0 to 8, not -1",
        "--log kafka --bootstrap k:1 --node n1 --replication 16|replication is 1 to 15, not 16",
        "--log kafka --bootstrap k:1 --node n1 --session-ms 499|session-ms is 500 to 300000",
        "--log kafka --bootstrap k:1 --node n1 --session-ms 100d|session-ms is 500 to 300000",
        "--log kafka --bootstrap k:1 --node n1 --session-ms 300001|session-ms is 500 to 300000",
        "--log kafka --bootstrap k:1 --node n1 --replication 2 --min-insync 3|min-insync is 1 to"
      })
  void what_cannot_be_is_refused_with_what_could(String line, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config("127.0.0.1", line))
        .withMessageContaining(message);
  }

  @Test
  void names_are_as_long_as_they_may_be_and_no_longer() throws IOException {
    String longest = "n".repeat(ClusterConfig.NAME_LENGTH_MAX);
    assertThat(node("--cluster " + longest).name()).isEqualTo(longest);
    assertThatIllegalArgumentException().isThrownBy(() -> node("--cluster n" + longest));
  }

  @Test
  void as_many_brokers_are_named_as_may_be_and_no_more() throws IOException {
    String most = "k:1" + ",k:1".repeat(ClusterConfig.Log.BOOTSTRAP_MAX - 1);
    String line = "--log kafka --node n1 --bootstrap ";
    assertThat(config("::1", line + most)).isPresent();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config("::1", line + most + ",k:1"))
        .withMessageContaining("1 to 64 brokers");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "[::]"})
  void clients_are_not_sent_to_an_address_that_is_none(String host) throws IOException {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config(host, NODE))
        .withMessageContaining("--advertise");
    assertThat(config(host, NODE + " --advertise n1:7650")).isPresent();
  }

  @Test
  void settings_of_clients_come_from_a_file_and_are_not_shown() throws IOException {
    Path file = directory.resolve("client.properties");
    Files.writeString(file, "# comment\nsecurity.protocol=SASL_SSL\nsasl.jaas.config=secret\n");
    ClusterConfig config = node("--kafka-config " + file);
    assertThat(config.log().clientSettings())
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("sasl.jaas.config", "secret");
    assertThat(config.toString()).contains("sasl.jaas.config").doesNotContain("secret");

    Files.writeString(file, "bootstrap.servers=k:1\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node("--kafka-config " + file))
        .withMessageContaining("bootstrap.servers, which follows from other options");
    Files.delete(file);
    assertThatIOException()
        .isThrownBy(() -> node("--kafka-config " + file))
        .withMessageContaining(file.toString());
  }
}
