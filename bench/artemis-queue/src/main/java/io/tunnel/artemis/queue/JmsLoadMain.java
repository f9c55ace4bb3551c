package io.tunnel.artemis.queue;

import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.programs.bench.seeds.queue.MessageLoad;
import io.tunnel.stress.SystemClock;
import java.util.concurrent.atomic.AtomicInteger;

/** The child with the load on a broker, through JMS. */
final class JmsLoadMain {

  private JmsLoadMain() {}

  /** The argument is the address of the broker, as its client reads it. */
  public static void main(String[] arguments) {
    AtomicInteger cases = new AtomicInteger();
    new LoadProgram(
            MessageLoad.cases(
                what ->
                    JmsMessages.open(
                        arguments[0], what, "case" + cases.incrementAndGet(), new SystemClock()),
                new SystemClock()))
        .serve(System.in, System.out, () -> System.exit(0));
  }
}
