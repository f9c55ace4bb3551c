package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.service.ServiceAccess;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.options.ConfirmOption;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import picocli.CommandLine;

/** Runs the commands of this module on a stand-in for the server. */
public abstract class CommandLineTest {

  protected final FakeService service = new FakeService();
  protected final StringWriter out = new StringWriter();
  protected final StringWriter err = new StringWriter();

  protected final int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return run(new PrintWriter(out), arguments);
  }

  protected final int run(PrintWriter writer, String... arguments) {
    CommandLine root =
        TunnelCommand.commandLine(CommandLineTest.standIns(service))
            .setOut(writer)
            .setErr(new PrintWriter(err));
    return CommandRunner.run(root, Diagnosis.standard().or(new ServiceDiagnosis()), arguments);
  }

  /** Splits the line at spaces. */
  protected final int runLine(String line) {
    return run(line.split(" "));
  }

  private static CommandLine.IFactory standIns(FakeService service) {
    return new CommandLine.IFactory() {
      @Override
      public <K> K create(Class<K> type) throws Exception {
        if (type == ServiceAccess.class) {
          return type.cast(new ServiceAccess(service::connect));
        }
        if (type == ConfirmOption.class) {
          return type.cast(new ConfirmOption(service.prompt));
        }
        return CommandLine.defaultFactory().create(type);
      }
    };
  }

  protected final List<String> outLines() {
    return out.toString().lines().toList();
  }

  protected final List<String> errLines() {
    return err.toString().lines().toList();
  }

  @AfterEach
  void every_connection_was_closed() {
    assertThat(service.open).isZero();
  }
}
