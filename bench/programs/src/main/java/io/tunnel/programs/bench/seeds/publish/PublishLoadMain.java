package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.stress.SystemClock;
import java.util.concurrent.atomic.AtomicInteger;

/** The process with the load on this service. */
public final class PublishLoadMain {

  private PublishLoadMain() {}

  /**
   * The arguments are the server as {@link ClientConfig#of(String)} takes it, what the names of
   * tables begin with, the partitions of a table, and whether rows are bound.
   */
  public static void main(String[] arguments) {
    TablePublishing.Terms terms =
        new TablePublishing.Terms(
            ClientConfig.of(arguments[0]),
            Integer.parseInt(arguments[2]),
            Boolean.parseBoolean(arguments[3]));
    AtomicInteger cases = new AtomicInteger();
    new LoadProgram(
            PublishLoad.cases(
                what -> TablePublishing.open(what, terms, arguments[1] + cases.incrementAndGet()),
                new SystemClock()))
        .serve(System.in, System.out, () -> System.exit(0));
  }
}
