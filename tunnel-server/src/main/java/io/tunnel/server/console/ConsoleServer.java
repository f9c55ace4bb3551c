package io.tunnel.server.console;

import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The server that a console belongs to. Answers at once, where it does not say otherwise. */
public interface ConsoleServer {

  /** The name of this node; empty without a cluster. */
  Optional<String> node();

  /** The nodes of the cluster as this node sees them; empty without a cluster. */
  Optional<ClusterDescription> cluster();

  /** The version of the program. */
  String version();

  /** The health page: one JSON object. */
  String health();

  /** What was written and delivered since the start. */
  ServerMeters.Totals totals();

  /** What the server takes of its machine. */
  Taken taken();

  /**
   * Figures of each tunnel that the server coordinates; empty when the tunnels' threads are busy.
   * May block for seconds.
   *
   * @param figures makes the figures; descriptions of all tunnels together may be large
   */
  <T> Optional<List<T>> tunnels(Function<TunnelDescription, T> figures);

  /**
   * What a server takes of its machine; NaN for a figure that the machine does not tell.
   *
   * @param connections connections of clients
   * @param diskFreeBytes bytes that are free where the data directory is
   * @param diskUsedBytes bytes of logs and tables
   * @param residentBytes memory of the process
   * @param cpuShare 0 to 1, of all processors
   */
  record Taken(
      double connections,
      double diskFreeBytes,
      double diskUsedBytes,
      double heapUsedBytes,
      double heapMaxBytes,
      double residentBytes,
      double cpuShare) {}
}
