package io.tunnel.cli.security.directory;

import com.google.gson.Gson;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel security init}. */
@Command(
    name = "init",
    mixinStandardHelpOptions = true,
    description = {
      "Make a security directory: an authority and a certificate of it for a server, the key that"
          + " secrets are sealed with, and a key and a profile for the administrator.",
      "The certificate is for localhost, 127.0.0.1, ::1, the name of this host and each --name."
          + " Keep authority.key in a safe place: it makes further certificates, and no server"
          + " needs it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel security init --dir security",
      "  tunnel security init --dir security --name db1.example.org --name 10.0.0.5",
      "  tunnel server --data data --host 10.0.0.5 --security security",
      "  tunnel tables list --profile security/admin.json"
    })
public final class InitCommand extends Job {

  private static final Gson GSON = new Gson();

  @Option(
      names = "--dir",
      required = true,
      paramLabel = "DIR",
      description = "The directory to make; it must not exist, or be empty.")
  private Path directory;

  @Mixin private CertificateOptions options;

  @Option(names = "--json", description = "Print what was made as one JSON object.")
  private boolean isJson;

  /** For picocli. */
  public InitCommand() {}

  /** What {@code --json} prints. */
  private record Summary(String directory, List<String> names, String keyId, long expiresMs) {}

  @Override
  public Integer call() throws IOException {
    List<HostName> names = options.names(HostName.ofThisMachine());
    print(NewSecurity.make(directory, names, Instant.now(), options.life(), endpoint()));
    return ExitCode.OK;
  }

  private String endpoint() {
    String host = options.first().map(HostName::inEndpoint).orElse("127.0.0.1");
    return host + ":" + Protocol.PORT_DEFAULT;
  }

  private void print(NewSecurity made) {
    PrintWriter out = out();
    if (isJson) {
      out.println(
          GSON.toJson(
              new Summary(
                  directory.toString(), made.names(), made.keyId(), made.end().toEpochMilli())));
    } else {
      lines(made).forEach(out::println);
    }
    out.flush();
  }

  private List<String> lines(NewSecurity made) {
    List<String> lines = new ArrayList<>();
    lines.add("made the security directory " + directory);
    lines.add("  authority.crt  whose certificates servers and clients trust; give it to anybody");
    lines.add(
        "  authority.key  makes further certificates: keep it in a safe place, not on a server;"
            + " no server needs it");
    lines.add("  server.crt     for " + String.join(", ", made.names()) + "; until " + made.end());
    lines.add("  server.key     the server's alone");
    lines.add("  master.key     what secrets are sealed with; without it all keys are lost");
    lines.add("  keys.json      the administrator's key " + made.keyId() + ", sealed");
    lines.add("  admin.json     the administrator's profile, with the secret of the key");
    lines.add("start a server with 'tunnel server --data DIR --security " + directory + "'");
    lines.add("and ask it with 'tunnel tables list --profile " + directory + "/admin.json'");
    return lines;
  }
}
