package io.tunnel.stress;

import java.io.PrintWriter;
import java.util.Objects;

/**
 * Runs the load tests of files on a server of the user. The benchmarks beside this program have it,
 * as a service of {@link java.util.ServiceLoader}.
 */
public interface WorkloadRunner {

  /**
   * Runs a workload, and prints its report. Makes tables of its own, and drops them.
   *
   * @throws io.tunnel.terminal.CommandFailure when the file or the machine is not fit, before
   *     anything is asked, and when a request fails
   */
  void run(Order order) throws Exception;

  /**
   * What is to be run.
   *
   * @param workload a file, or the name of a workload that the runner has
   * @param endpoint the server, and who asks, as {@link io.tunnel.sdk.ClientConfig#of(String)}
   *     takes it
   * @param isJson whether the report is one JSON object, and not a table for people
   * @param program how lines about an interrupt begin, such as "tunnel stress"
   */
  record Order(
      String workload,
      String endpoint,
      boolean isJson,
      String program,
      PrintWriter out,
      PrintWriter err) {

    /** Refuses what is missing. */
    public Order {
      Objects.requireNonNull(workload, "workload");
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(program, "program");
      Objects.requireNonNull(out, "out");
      Objects.requireNonNull(err, "err");
    }
  }
}
