package io.tunnel.cli.ping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.terminal.ExitCode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PingCommandTest extends CommandLineTest {

  private void answer(long... micros) {
    for (long each : micros) {
      service.pings.add(() -> Duration.ofNanos(each * 1_000));
    }
  }

  private void fail(RuntimeException failure) {
    service.pings.add(
        () -> {
          throw failure;
        });
  }

  @Test
  void round_trips_are_told_one_by_one_and_at_the_end() {
    answer(200, 400, 300, 1_500);
    assertThat(run("ping", "--count", "4", "--interval", "1ms")).isZero();
    assertThat(outLines())
        .containsExactly(
            "1: 0.200 ms",
            "2: 0.400 ms",
            "3: 0.300 ms",
            "4: 1.500 ms",
            "",
            "4 pings, 4 answered, 0 lost",
            "round trip in ms: min 0.200, average 0.600, p50 0.300, p90 1.500, p99 1.500, p99.9"
                + " 1.500, max 1.500");
    assertThat(service.pinged).containsExactly(56, 56, 56, 56);
  }

  @Test
  void programs_get_one_object() {
    answer(200, 400);
    assertThat(run("ping", "--count", "2", "--interval", "0", "--size", "1KiB", "--json")).isZero();
    assertThat(outLines()).hasSize(1);
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("sent").getAsLong()).isEqualTo(2);
    assertThat(json.get("lost").getAsLong()).isZero();
    assertThat(json.get("bytes").getAsLong()).isEqualTo(1_024);
    assertThat(json.get("server").getAsString()).isEqualTo("127.0.0.1:7650");
    assertThat(json.get("averageMs").getAsDouble()).isBetween(0.2999, 0.3005);
    assertThat(json.get("p50Ms").getAsDouble()).isBetween(0.2, 0.2005);
    assertThat(json.keySet()).contains("minMs", "p90Ms", "p99Ms", "p999Ms", "maxMs");
    assertThat(service.pinged).containsExactly(1_024, 1_024);
  }

  @Test
  void a_lost_ping_is_counted_and_the_others_go_on() {
    answer(200);
    fail(new ConnectionException("n1:7650 closed the connection", true, null));
    fail(new RefusedException(ErrorCode.BUSY, "too much to do"));
    answer(400);
    assertThat(run("ping", "--count", "4", "--interval", "0")).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(outLines())
        .contains(
            "2: lost: n1:7650 closed the connection",
            "3: lost: too much to do",
            "4: 0.400 ms",
            "4 pings, 2 answered, 2 lost");
    assertThat(err.toString()).contains("2 pings were not answered; the last one: too much to do");
  }

  @Test
  void a_first_ping_without_an_answer_and_a_final_refusal_end_the_command() {
    fail(new ConnectionException("cannot connect", true, null));
    assertThat(run("ping", "--interval", "0")).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(outLines()).isEmpty();
    assertThat(err.toString()).contains("cannot connect").contains("Is a server running there?");

    answer(200);
    fail(new RefusedException(ErrorCode.UNKNOWN_OPERATION, "the server is older"));
    assertThat(run("ping", "--interval", "0")).isEqualTo(ExitCode.FAILED);
    assertThat(outLines()).containsExactly("1: 0.200 ms");
    assertThat(err.toString()).contains("the server is older");
    assertThat(service.pinged).hasSize(3);
  }

  @Test
  void a_quiet_run_prints_the_summary_alone() {
    answer(200);
    assertThat(run("ping", "--count", "1", "-q")).isZero();
    assertThat(outLines().get(0)).isEqualTo("1 ping, 1 answered, 0 lost");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ping --count 0 | --count is 1 to 1000000000, not 0",
        "ping --size 65537 | --size is 0 to 65536, not 65537",
        "ping --size much | 'much' is not a number of bytes",
        "ping --interval 1us | --interval is 0, or 1ms to 1h",
        "ping --interval 2h | --interval is 0, or 1ms to 1h",
        "ping --server nowhere:0 | nowhere:0"
      })
  void options_that_cannot_be_are_refused_before_anything_is_sent(String line, String message) {
    assertThat(runLine(line)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
    assertThat(service.pinged).isEmpty();
  }
}
