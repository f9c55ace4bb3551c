package io.tunnel.cli.service;

import com.google.gson.JsonObject;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/**
 * A command that asks a service: it checks its options before anything is connected, asks, and
 * prints the answer for people or for programs.
 */
public abstract class ServiceCommand extends Job {

  @Mixin private ServiceAccess access;

  /**
   * Throws a {@linkplain io.tunnel.terminal.CommandFailure#usage usage error} for options that can
   * be seen to be wrong without a server.
   */
  protected void check() {}

  /** Asks, and prints the answer. */
  protected abstract void run(Service service) throws Exception;

  @Override
  public final Integer call() throws Exception {
    check();
    try (Service service = access.connect()) {
      run(service);
    }
    return ExitCode.OK;
  }

  protected final boolean isJson() {
    return access.isJson();
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
