package io.tunnel.bench.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.bench.flink.recovery.RecoveryOrder;
import io.tunnel.programs.bench.peer.Look;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class FlinkOptionsTest {

  @Command
  private static final class Program {
    @Mixin private FlinkOptions options;
  }

  private static FlinkOptions parse(String... arguments) {
    Program program = new Program();
    CommandLine line = new CommandLine(program);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.parseArgs(arguments);
    return program.options;
  }

  @Test
  void the_defaults_can_be_measured() {
    assertThatCode(() -> parse().require()).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "--rows, 999, 1000",
    "--partitions, 0, 2",
    "--partitions, 129, 128",
    "--parallelism, 0, 1",
    "--parallelism, 5, 4",
    "--rounds, 0, 1",
    "--warm-seconds, -1, 0",
    "--leg-seconds, -1, 0",
    "--failures, -1, 0",
    "--savepoints, -1, 0",
    "--live-rate, 99, 100",
    "--checkpoint-ms, 9, 10",
    "--lag-ms, 0, 1",
    "--heap-mib, 255, 256",
    "--leg-seconds-max, 0, 1",
    "--minutes-max, 0, 1",
    "--look, touch, 'count,decode'",
    "--only, write, 'read,recovery'",
  })
  void what_cannot_be_measured_is_refused_and_the_next_is_not(
      String option, String refused, String taken) {
    assertThatThrownBy(() -> parse(option, refused).require())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(option);
    assertThatCode(() -> parse(option, taken).require()).doesNotThrowAnyException();
  }

  @Test
  void a_part_of_the_tests_can_be_chosen() {
    FlinkOptions options =
        parse("--only", "read", "--look", "decode", "--reader", "tunnel,kafka", "--jvm", "-Xint");
    options.require();
    assertThat(options.only).containsExactly("read");
    assertThat(options.looks).containsExactly(Look.DECODE);
    assertThat(options.readers).containsExactly(Reader.TUNNEL, Reader.KAFKA);
    assertThat(options.legOptions()).containsExactly("-Xmx1024m", "-Xint");
  }

  @Test
  void children_are_told_what_was_chosen() {
    FlinkOptions options = parse("--live-rate", "777", "--failures", "1", "--lag-ms", "12");
    RecoveryOrder order = options.recovery(Reader.KAFKA, "h:1", "t", Path.of("/d"));
    assertThat(order.shape()).isEqualTo(new RecoveryOrder.Shape(4, 2, 777, 500, 12));
    assertThat(order.times()).isEqualTo(new RecoveryOrder.Times(1, 5));
    assertThat(options.asMap()).containsEntry("liveRate", 777).containsEntry("lagMs", 12);
  }

  @Test
  void orders_that_make_no_sense_are_refused() {
    LegOrder.Table table = new LegOrder.Table("h:1", "t", 1, 0);
    LegOrder.Pace pace = new LegOrder.Pace(0, 0);
    assertThatThrownBy(() -> new LegOrder(Reader.TUNNEL, Look.TOUCH, table, pace, 1))
        .hasMessageContaining("TOUCH");
    assertThatThrownBy(() -> new LegOrder(Reader.TUNNEL, Look.COUNT, table, pace, 0))
        .hasMessageContaining("parallelism");
    assertThatThrownBy(() -> new LegOrder.Table("h:1", "t", 0, 0)).hasMessageContaining("rows");
    assertThatThrownBy(() -> new LegOrder.Pace(0, -1)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> parse().recovery(Reader.WORKER, "h:1", "t", Path.of("/d")))
        .hasMessageContaining("WORKER");
  }
}
