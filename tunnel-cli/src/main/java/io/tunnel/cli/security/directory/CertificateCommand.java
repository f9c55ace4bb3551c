package io.tunnel.cli.security.directory;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel security certificate}. */
@Command(
    name = "certificate",
    mixinStandardHelpOptions = true,
    description = {
      "Make a further certificate of the authority in --dir, in a directory of its own.",
      "With --name it is for a server: another node, or the next one of a server whose certificate"
          + " ends. Its directory has all that a node needs, and the authority's key is not among"
          + " it. With --client it is for a client, to which rights are given as CN=NAME."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel security certificate --dir security --name n2.example.org --out security-n2",
      "  tunnel security certificate --dir security --client billing --out billing"
    })
public final class CertificateCommand extends Job {

  private static final Gson GSON = new Gson();

  /** As for names that access keys are for; more would have to be escaped in a subject. */
  private static final Pattern CLIENT = Pattern.compile("[A-Za-z0-9_.@-]{1,64}");

  @Option(
      names = "--dir",
      required = true,
      paramLabel = "DIR",
      description = "The directory that 'tunnel security init' made, with authority.key.")
  private Path directory;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "The directory to make; it must not exist, or be empty.")
  private Path target;

  @Mixin private CertificateOptions options;

  @Option(
      names = "--client",
      paramLabel = "NAME",
      description = "Make the certificate of a client: 1 to 64 of A-Z a-z 0-9 _ . @ -.")
  private String client;

  @Option(names = "--json", description = "Print what was made as one JSON object.")
  private boolean isJson;

  /** For picocli. */
  public CertificateCommand() {}

  /** What {@code --json} prints. */
  private record Summary(String directory, String subject, List<String> names, long expiresMs) {}

  @Override
  public Integer call() throws IOException {
    requireOptions();
    Instant now = Instant.now();
    AuthorityFiles files = new AuthorityFiles(directory);
    CertificateAuthority authority = files.authority(WiringChance::secret);
    Duration life = life(authority, now);
    if (client == null) {
      makeServer(files, authority, now, life);
    } else {
      makeClient(files, authority, now, life);
    }
    return ExitCode.OK;
  }

  private void requireOptions() {
    if ((client != null) == options.isNamed()) {
      throw CommandFailure.usage(
          "give --name HOST for the certificate of a server, or --client NAME for that of a client");
    }
    if (client != null && !CLIENT.matcher(client).matches()) {
      throw CommandFailure.usage("--client '" + client + "' is not 1 to 64 of A-Z a-z 0-9 _ . @ -");
    }
  }

  /** Nothing that an authority has made is trusted when it has ended itself. */
  private Duration life(CertificateAuthority authority, Instant now) {
    Duration life = options.life();
    long daysLeft = Duration.between(now, authority.end()).toDays();
    if (life.toDays() > daysLeft) {
      throw CommandFailure.usage(
          "the authority ends on "
              + authority.end()
              + ", in "
              + daysLeft
              + " days, and all its certificates with it; give --days of no more than that, or make"
              + " another authority with 'tunnel security init'");
    }
    return life;
  }

  private void makeServer(
      AuthorityFiles files, CertificateAuthority authority, Instant now, Duration life)
      throws IOException {
    List<HostName> names = options.names(Optional.empty());
    Issued server = authority.server(names, now, life);
    Optional<String> master = files.text(AuthorityFiles.MASTER_KEY);
    Optional<String> keys = files.text(AuthorityFiles.KEYS);
    try (NewDirectory made = NewDirectory.make(target)) {
      made.writePublic(AuthorityFiles.AUTHORITY, files.trusted());
      made.writePublic(AuthorityFiles.SERVER, server.certificatePem());
      made.writePrivate(AuthorityFiles.SERVER_KEY, server.keyPem());
      if (master.isPresent()) {
        made.writePrivate(AuthorityFiles.MASTER_KEY, master.get());
      }
      if (keys.isPresent()) {
        made.writePrivate(AuthorityFiles.KEYS, keys.get());
      }
      made.keep();
    }
    List<String> texts = names.stream().map(HostName::text).toList();
    print(server, texts, "made " + target + " for a server that is " + String.join(", ", texts));
    if (master.isEmpty() && !isJson) {
      say(
          "there is no master.key in "
              + directory
              + ": give it to the server as TUNNEL_MASTER_KEY");
    }
  }

  private void makeClient(
      AuthorityFiles files, CertificateAuthority authority, Instant now, Duration life)
      throws IOException {
    Issued issued = authority.client(client, now, life);
    JsonObject profile = AdministratorKey.profileOf(files.endpoints(), files.trusted());
    profile.addProperty("certificate", "client.crt");
    profile.addProperty("certificateKey", "client.key");
    try (NewDirectory made = NewDirectory.make(target)) {
      made.writePublic("client.crt", issued.certificatePem());
      made.writePrivate("client.key", issued.keyPem());
      made.writePrivate("client.json", AdministratorKey.text(profile));
      made.keep();
    }
    print(issued, List.of(), "made " + target + " for the client CN=" + client);
    if (!isJson) {
      say("its profile is " + target + "/client.json; it has no rights until they are given");
    }
  }

  private void say(String line) {
    PrintWriter out = out();
    out.println(line);
    out.flush();
  }

  private void print(Issued issued, List<String> names, String line) {
    Instant end = issued.certificate().getNotAfter().toInstant();
    String subject = issued.certificate().getSubjectX500Principal().getName();
    say(
        isJson
            ? GSON.toJson(new Summary(target.toString(), subject, names, end.toEpochMilli()))
            : line + "; until " + end);
  }
}
