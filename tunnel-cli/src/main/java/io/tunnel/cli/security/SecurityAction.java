package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.ServiceGroup;
import io.tunnel.sdk.security.SecurityClient;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command of {@code tunnel security}, also one of a group below it. */
abstract class SecurityAction extends ServiceCommand<Administered> {

  @Spec private CommandSpec spec;

  @Override
  protected final ServiceGroup<Administered> group() {
    CommandSpec above = spec.parent();
    while (!(above.userObject() instanceof SecurityCommand)) {
      above = above.parent();
    }
    return (SecurityCommand) above.userObject();
  }

  @Override
  protected void check() {}

  @Override
  protected final void run(Administered server) throws Exception {
    run(server.client(), server);
  }

  /** Asks, and prints the answer. */
  protected abstract void run(SecurityClient client, Administered server) throws Exception;

  /** Says something beside the answer, on standard error. */
  protected final void warn(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("note: " + line);
    err.flush();
  }

  /** Says what was done. */
  protected final void done(String member, String what, String line) {
    JsonObject json = new JsonObject();
    json.addProperty(member, what);
    print(() -> json, () -> List.of(line));
  }
}
