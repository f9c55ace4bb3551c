package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import java.util.List;

/** A command of {@code tunnel security}, also one of a group below it. */
abstract class SecurityAction extends ServiceCommand {

  @Override
  protected final void run(Service service) throws Exception {
    run(service.security(), service.config());
  }

  /**
   * Asks, and prints the answer.
   *
   * @param config how {@code client} connects
   */
  protected abstract void run(SecurityClient client, ClientConfig config) throws Exception;

  /** Says something beside the answer, on standard error. */
  protected final void warn(String line) {
    err().println("note: " + line);
    err().flush();
  }

  /** Says what was done. */
  protected final void done(String member, String what, String line) {
    JsonObject json = new JsonObject();
    json.addProperty(member, what);
    print(() -> json, () -> List.of(line));
  }
}
