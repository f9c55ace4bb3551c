package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeedsTest {

  private static final Needs PLENTY = new Needs(20_000, 28_000, 20L << 30, 20L << 30);

  private static Needs of(double scale) throws IOException {
    return Needs.of(List.of(WorkloadFile.own("002"), WorkloadFile.own("003")), scale);
  }

  @Test
  void three_thousand_connections_need_more_descriptors_than_most_shells_give() throws IOException {
    Needs needs = of(1);
    assertThat(needs.descriptors()).isEqualTo((3_000 + 512) * 4 / 3);
    assertThatCode(() -> needs.require(PLENTY, "--scale makes it smaller"))
        .doesNotThrowAnyException();
    assertThatExceptionOfType(CommandFailure.class)
        .isThrownBy(
            () ->
                needs.require(
                    new Needs(1_024, 28_000, 20L << 30, 20L << 30), "--scale makes it smaller"))
        .withMessage(
            "nothing was started: the run needs 4682 descriptors a process, and the limit is 1024"
                + " (raise it with ulimit -n 4682); --scale makes it smaller")
        .extracting(CommandFailure::exitCode)
        .isEqualTo(ExitCode.UNAVAILABLE);
    Needs smaller = of(0.05);
    assertThatCode(
            () ->
                smaller.require(
                    new Needs(1_024, 28_000, 20L << 30, 20L << 30), "--scale makes it smaller"))
        .doesNotThrowAnyException();
  }

  @Test
  void all_that_is_missing_is_said_at_once() throws IOException {
    Needs needs = of(1);
    assertThatExceptionOfType(CommandFailure.class)
        .isThrownBy(() -> needs.require(new Needs(10, 10, 10, 10), "--scale makes it smaller"))
        .withMessageContaining("4682 descriptors")
        .withMessageContaining("4000 local ports, and there are 10")
        .withMessageContaining("MiB of memory, and 0 MiB is free")
        .withMessageContaining("MiB of disk, and 0 MiB is free (--work names another disk)");
  }

  @Test
  void a_registry_needs_disk_for_its_rows() throws IOException {
    long without = Needs.of(List.of(WorkloadFile.own("002")), 1).diskBytes();
    assertThat(of(1).diskBytes() - without).isEqualTo(4L * 100_000 * (256 + 128));
  }

  @Test
  void an_embedded_server_has_the_descriptors_of_both_ends() throws IOException {
    assertThat(Needs.of(List.of(WorkloadFile.own("004paths")), 1).descriptors())
        .isEqualTo((2 * 1_000 + 512) * 4 / 3);
  }

  @Test
  void a_cluster_needs_memory_for_its_nodes_and_the_broker() throws IOException {
    long alone = Needs.of(List.of(WorkloadFile.own("002")), 1).memoryBytes();
    assertThat(of(1).memoryBytes() - alone).isEqualTo(3L << 30);
  }

  @Test
  void this_machine_has_something(@TempDir Path directory) throws IOException {
    Needs here = Needs.here(directory);
    assertThat(here.descriptors()).isPositive();
    assertThat(here.ports()).isPositive();
    assertThat(here.memoryBytes()).isPositive();
    assertThat(here.diskBytes()).isPositive();
  }
}
