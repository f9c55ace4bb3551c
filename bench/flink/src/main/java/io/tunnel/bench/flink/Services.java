package io.tunnel.bench.flink;

import io.tunnel.programs.bench.peer.CpuTimes;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.stress.LoadClock;
import java.util.List;

/** Our server and the broker, each a process, and where clients find them. */
public record Services(
    Peer tunnel, String tunnelEndpoint, Peer kafka, String kafkaEndpoint, LoadClock clock) {

  public Peer of(Reader reader) {
    return reader == Reader.KAFKA ? kafka : tunnel;
  }

  public String endpoint(Reader reader) {
    return reader == Reader.KAFKA ? kafkaEndpoint : tunnelEndpoint;
  }

  /** Returns when both servers have finished their deferred work. */
  public void settle() {
    CpuTimes.settle(List.of(tunnel, kafka), clock);
  }
}
