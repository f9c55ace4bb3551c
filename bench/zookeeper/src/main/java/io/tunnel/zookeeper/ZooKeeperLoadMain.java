package io.tunnel.zookeeper;

import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.programs.bench.seeds.publish.PublishLoad;
import io.tunnel.stress.SystemClock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The child with the load on ZooKeeper, through ZooKeeper's own client. */
final class ZooKeeperLoadMain {

  private ZooKeeperLoadMain() {}

  /** The argument is the servers, each as HOST:PORT, with commas between. */
  public static void main(String[] arguments) {
    List<String> servers = List.of(arguments[0].split(",", -1));
    AtomicInteger cases = new AtomicInteger();
    new LoadProgram(
            PublishLoad.cases(
                what -> ZooKeeperPublishing.open(servers, what, "/case" + cases.incrementAndGet()),
                new SystemClock()))
        .serve(System.in, System.out, () -> System.exit(0));
  }
}
