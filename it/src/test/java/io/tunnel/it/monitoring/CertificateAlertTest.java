package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.security.directory.CertificateCommand;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/** Prometheus reads a closed server with a token, and warns of its certificate. */
@Tag("proof-monitoring")
class CertificateAlertTest {

  private static final Map<String, String> CLOSED = Map.of("instance", "closed");

  @RegisterExtension final Stage stage = new Stage();

  private static String token(ServerProcess server) {
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.grant(Permission.allow("prometheus", List.of("read"), "cluster"));
      return new String(
          security.createToken("prometheus", Optional.empty()).text().utf8(),
          StandardCharsets.UTF_8);
    }
  }

  /** Puts another certificate of the authority, good for so many days, into the directory. */
  private void replace(Path security, int days) throws IOException {
    Path next = stage.path("certificate");
    int exit =
        new CommandLine(new CertificateCommand())
            .execute(
                "--dir",
                security.toString(),
                "--name",
                "localhost",
                "--days",
                "" + days,
                "--out",
                next.toString());
    assertThat(exit).as("'security certificate'").isZero();
    for (String file : List.of("server.key", "server.crt")) {
      Files.move(next.resolve(file), security.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void a_certificate_that_ends_within_a_month_is_told_until_it_is_replaced() throws IOException {
    ServerProcess server = stage.closedServer();
    Path security = server.security().orElseThrow();
    Path token = Files.writeString(stage.path("token"), token(server));
    PrometheusProcess.Admission admission =
        new PrometheusProcess.Admission(security.resolve("authority.crt"), token);
    PrometheusProcess prometheus =
        PrometheusProcess.start(
            stage, AlertRules.shipped().atOnce(Map.of()), Optional.of(admission));
    prometheus.scrape("closed", server.httpPort());
    prometheus.awaitScraped("closed");
    assertThat(prometheus.isFiring("TunnelCertificateEnds", CLOSED)).isFalse();
    replace(security, 29);
    prometheus.awaitFiring("TunnelCertificateEnds", CLOSED);
    replace(security, 60);
    prometheus.awaitEnded("TunnelCertificateEnds", CLOSED);
    prometheus.awaitScraped("closed");
  }
}
