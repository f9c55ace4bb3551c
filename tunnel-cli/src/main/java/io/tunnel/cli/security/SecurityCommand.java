package io.tunnel.cli.security;

import io.tunnel.cli.security.directory.CertificateCommand;
import io.tunnel.cli.security.directory.InitCommand;
import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** Says who may come to a server, and what they may do. */
@Command(
    name = "security",
    mixinStandardHelpOptions = true,
    description = {
      "Say who may come to a server, and what they may do.",
      "All but init and certificate need the profile of an administrator: --profile, or"
          + " TUNNEL_PROFILE. Everybody may ask whoami."
    },
    subcommands = {
      InitCommand.class,
      CertificateCommand.class,
      WhoAmICommand.class,
      KeyCommand.class,
      GrantCommand.class,
      RevokeCommand.class,
      ShowCommand.class,
      GroupCommand.class,
      TokenCommand.class,
      QuotaCommand.class
    })
public final class SecurityCommand extends CommandGroup {

  /** For picocli. */
  public SecurityCommand() {}
}
