package io.tunnel.cli.backup;

import io.tunnel.server.backup.Restore;
import io.tunnel.terminal.Human;
import java.io.PrintWriter;

/** Says what a restore makes valid again: a backup does not know what was revoked behind it. */
public final class RevivedText {

  private RevivedText() {}

  /** Names the keys and tokens, if there are any. */
  public static void print(Restore.Revived revived, PrintWriter out) {
    if (revived.keys().isEmpty() && revived.tokens().isEmpty()) {
      return;
    }
    out.println(
        Human.counted(revived.keys().size(), "access key")
            + " and "
            + Human.counted(revived.tokens().size(), "token")
            + " of the backup can be used again, also those that were revoked, and rights that were"
            + " withdrawn, since it was taken:");
    if (!revived.keys().isEmpty()) {
      out.println("  keys " + String.join(" ", revived.keys()));
    }
    if (!revived.tokens().isEmpty()) {
      out.println("  tokens " + String.join(" ", revived.tokens()));
    }
    out.println(
        "before clients come, revoke again what REVOKE_KEY, REVOKE_TOKEN and WITHDRAW lines of"
            + " audit/administration.jsonl name");
  }
}
