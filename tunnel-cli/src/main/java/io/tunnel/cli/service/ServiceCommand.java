package io.tunnel.cli.service;

import com.google.gson.JsonObject;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command that asks a service: it checks its options before anything is connected, asks, and
 * prints the answer for people or for programs.
 */
public abstract class ServiceCommand<S extends Service> implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ServiceOptions service;

  /** The group that it belongs to. */
  protected abstract ServiceGroup<S> group();

  /**
   * Throws a {@linkplain io.tunnel.terminal.CommandFailure#usage usage error} for options that can
   * be seen to be wrong without a server.
   */
  protected abstract void check();

  /** Asks, and prints the answer. */
  protected abstract void run(S connected) throws Exception;

  @Override
  public final Integer call() throws Exception {
    check();
    try (S connected = group().connect(service.endpoint())) {
      run(connected);
    }
    return ExitCode.OK;
  }

  protected final boolean isJson() {
    return service.isJson();
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints an answer in the form that was asked for. */
  protected final void print(Supplier<JsonObject> json, Supplier<List<String>> lines) {
    if (isJson()) {
      out().println(json.get());
    } else {
      lines.get().forEach(out()::println);
    }
  }
}
