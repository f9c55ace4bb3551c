package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.seeds.process.LoadProgram;
import java.util.concurrent.atomic.AtomicInteger;

/** The process with the load on this service. */
public final class PublishLoadMain {

  private PublishLoadMain() {}

  /** The arguments are the server as HOST:PORT, the partitions, and whether rows are bound. */
  public static void main(String[] arguments) {
    TablePublishing.Terms terms =
        new TablePublishing.Terms(
            arguments[0], Integer.parseInt(arguments[1]), Boolean.parseBoolean(arguments[2]));
    AtomicInteger cases = new AtomicInteger();
    new LoadProgram(
            PublishLoad.cases(
                what -> TablePublishing.open(what, terms, "case" + cases.incrementAndGet()),
                System::nanoTime))
        .serve(System.in, System.out, () -> System.exit(0));
  }
}
