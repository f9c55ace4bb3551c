package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.stress.SystemClock;

/** The process with the load on this service. */
public final class TableLoadMain {

  private TableLoadMain() {}

  /**
   * The arguments are the server as {@link io.tunnel.sdk.ClientConfig#of(String)} takes it, and
   * what the names of tables begin with.
   */
  public static void main(String[] arguments) {
    TableMessages.Names names = new TableMessages.Names(arguments[1]);
    new LoadProgram(
            MessageLoad.cases(
                what -> TableMessages.open(arguments[0], what, names, new SystemClock()),
                new SystemClock()))
        .serve(System.in, System.out, () -> System.exit(0));
  }
}
