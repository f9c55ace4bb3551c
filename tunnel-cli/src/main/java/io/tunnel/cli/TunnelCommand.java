package io.tunnel.cli;

import io.tunnel.cli.backup.BackupCommand;
import io.tunnel.cli.backup.RestoreCommand;
import io.tunnel.cli.cluster.ClusterCommand;
import io.tunnel.cli.cluster.HealthCommand;
import io.tunnel.cli.doctor.DoctorCommand;
import io.tunnel.cli.log.Logging;
import io.tunnel.cli.ping.PingCommand;
import io.tunnel.cli.security.SecurityCommand;
import io.tunnel.cli.tables.TablesCommand;
import io.tunnel.cli.tail.TailCommand;
import io.tunnel.cli.tail.WatchCommand;
import io.tunnel.cli.tunnels.TunnelsCommand;
import io.tunnel.partition.tool.PartitionCommand;
import io.tunnel.perf.PerfCommand;
import io.tunnel.server.ServerCommand;
import io.tunnel.stress.StressCommand;
import io.tunnel.terminal.CommandGroup;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.CompletionCommand;
import io.tunnel.terminal.DataWriter;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.VersionCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root of the {@code ./tunnel} command; it does nothing itself, its subcommands do. */
@Command(
    name = "tunnel",
    version = "tunnel 0.2.0-SNAPSHOT",
    mixinStandardHelpOptions = true,
    description = "Tables whose changes can be consumed in order, by tunnels.",
    footerHeading = "%nTo start with:%n",
    footer = {
      "  tunnel help COMMAND",
      "  tunnel demo",
      "  tunnel server --data DIR",
      "  tunnel tables create --table users --key hash:BINARY,uid:STRING --partitions 8",
      "  tunnel tunnels create --table users --tunnel audit --start EARLIEST"
    })
public final class TunnelCommand extends CommandGroup {

  /** The commands of this module, one line each, in the order of the help. */
  private static final List<Class<?>> COMMANDS =
      List.of(
          ServerCommand.class,
          HealthCommand.class,
          PingCommand.class,
          PartitionCommand.class,
          StressCommand.class,
          PerfCommand.class,
          TablesCommand.class,
          TailCommand.class,
          WatchCommand.class,
          TunnelsCommand.class,
          ClusterCommand.class,
          SecurityCommand.class,
          BackupCommand.class,
          RestoreCommand.class,
          DoctorCommand.class,
          CompletionCommand.class,
          VersionCommand.class);

  private static final Set<String> VERSION = Set.of("--version", "-V");

  TunnelCommand() {}

  /** Runs the program and ends the process with the exit code of its subcommand. */
  public static void main(String[] args) {
    CommandLine command = commandLine(System.getenv(), args);
    command.setOut(new DataWriter(new FileOutputStream(FileDescriptor.out)));
    command.setErr(new DataWriter(new FileOutputStream(FileDescriptor.err)));
    System.exit(CommandRunner.run(command, Diagnosis.standard().or(new ServiceDiagnosis()), args));
  }

  /**
   * The commands that {@code arguments} need, which log as the command line and {@code environment}
   * tell them.
   */
  static CommandLine commandLine(Map<String, String> environment, String... arguments) {
    CommandLine command = commandLine(CommandLine.defaultFactory(), needed(arguments));
    Optional.ofNullable(command.getSubcommands().get("server")).ifPresent(Logging::equip);
    return command.setExecutionStrategy(new BrokerBeside(new Logging(environment)));
  }

  /**
   * All commands: the commands of this module, made by {@code factory}, and each {@link Program} on
   * the class path.
   */
  public static CommandLine commandLine(CommandLine.IFactory factory) {
    return commandLine(factory, all());
  }

  private static List<Object> all() {
    List<Object> commands = new ArrayList<>(COMMANDS);
    for (Program program : ServiceLoader.load(Program.class)) {
      commands.add(commands.indexOf(program.listedBefore()), program);
    }
    return commands;
  }

  /**
   * The command that the arguments begin with. All commands where they begin with none: help,
   * completion and advice name the others. Reading all of their annotations takes most of the time
   * of a short command.
   */
  private static List<Object> needed(String... arguments) {
    String first = arguments.length == 0 ? "" : arguments[0];
    if (VERSION.contains(first)) {
      return List.of(VersionCommand.class);
    }
    for (Class<?> command : COMMANDS) {
      Command described = command.getAnnotation(Command.class);
      if (described.name().equals(first) && command != CompletionCommand.class) {
        return List.of(command);
      }
    }
    return all();
  }

  private static CommandLine commandLine(CommandLine.IFactory factory, List<Object> commands) {
    CommandLine root = new CommandLine(new TunnelCommand(), factory);
    commands.forEach(root::addSubcommand);
    return root;
  }
}
