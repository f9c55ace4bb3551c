package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ends a session. */
@Command(
    name = "end-session",
    mixinStandardHelpOptions = true,
    description = {
      "End a session: its channels go to the others at once, and what it does is fenced.",
      "A worker that lives opens another session; stop it to keep it away."
    },
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels end-session --table orders --tunnel audit --session s-17")
final class EndSessionCommand extends OneTunnelCommand {

  @Option(
      names = "--session",
      required = true,
      paramLabel = "ID",
      description = "The session, as describe names it.")
  private String session;

  /** For picocli. */
  EndSessionCommand() {}

  @Override
  protected void run(Service service) {
    service.endSession(table(), tunnel(), session);
    print(this::ended, () -> List.of("session " + session + " of " + name() + " ended"));
  }

  private JsonObject ended() {
    JsonObject json = json();
    json.addProperty("ended", session);
    return json;
  }
}
