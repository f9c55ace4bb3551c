package io.tunnel.cli.tables;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the sessions that rows are bound to, or ends one of them. */
@Command(
    name = "sessions",
    mixinStandardHelpOptions = true,
    description = {
      "List the sessions that rows are bound to, of all principals, or end one of them.",
      "The end of a session deletes its rows. Only administrators may list and end sessions."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  tunnel tables sessions", "  tunnel tables sessions --end 17"})
final class SessionsCommand extends ServiceCommand {

  @Option(
      names = "--end",
      paramLabel = "ID",
      description = "End this session; returns when its rows are deleted.")
  private Long end;

  /** For picocli. */
  SessionsCommand() {}

  @Override
  protected void check() {
    if (end != null && end < 1) {
      throw CommandFailure.usage("--end is the id of a session, 1 or more, not " + end);
    }
  }

  @Override
  protected void run(Service service) {
    if (end == null) {
      List<RowSessionInfo> sessions = service.rowSessions();
      print(() -> json(sessions), () -> lines(sessions));
    } else {
      service.endRowSession(end);
      print(this::ended, () -> List.of("session " + end + " has ended, and its rows are deleted"));
    }
  }

  private JsonObject ended() {
    JsonObject json = new JsonObject();
    json.addProperty("ended", end);
    return json;
  }

  private static List<String> lines(List<RowSessionInfo> sessions) {
    List<String> lines = new ArrayList<>();
    for (RowSessionInfo each : sessions) {
      lines.add(
          "session "
              + each.id()
              + (each.principal().isEmpty() ? "" : " of " + each.principal())
              + ": "
              + Human.counted(each.rows(), "row")
              + ", lease "
              + Human.duration(each.lease().toMillis())
              + (each.left().isZero()
                  ? ", ends now"
                  : ", " + Human.duration(each.left().toMillis()) + " left"));
    }
    if (lines.isEmpty()) {
      lines.add("no sessions");
    }
    return lines;
  }

  private static JsonObject json(List<RowSessionInfo> sessions) {
    JsonArray array = new JsonArray();
    for (RowSessionInfo each : sessions) {
      JsonObject one = new JsonObject();
      one.addProperty("session", each.id());
      one.addProperty("principal", each.principal());
      one.addProperty("leaseMs", each.lease().toMillis());
      one.addProperty("leftMs", each.left().toMillis());
      one.addProperty("rows", each.rows());
      array.add(one);
    }
    JsonObject json = new JsonObject();
    json.add("sessions", array);
    return json;
  }
}
