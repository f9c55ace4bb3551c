package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.options.ReportOption;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PerfCommandTest {

  /** A server whose tunnel has 40 rows, given to the processor when the workers start. */
  private static final class FakeServer implements TunnelServer {
    final List<TunnelInfo> tunnels = new ArrayList<>();
    TunnelWorkerStatus.State state = TunnelWorkerStatus.State.WORKER_STARTED;
    TunnelWorkerStatus.Phase phase = TunnelWorkerStatus.Phase.WORKING;
    StreamStart start;
    String consumed;
    int workers;
    boolean isShutDown;
    boolean isClosed;
    boolean isPaused;
    final RecordedCheckpoints checkpoints = new RecordedCheckpoints();

    @Override
    public List<TunnelInfo> tunnels(Optional<String> table) {
      return tunnels.stream()
          .filter(tunnel -> table.isEmpty() || tunnel.getTableName().equals(table.get()))
          .toList();
    }

    @Override
    public DescribeTunnelResponse describe(TunnelInfo tunnel) {
      return new DescribeTunnelResponse(tunnel, List.of(), isPaused, List.of());
    }

    @Override
    public TunnelInfo createTunnel(String table, String tunnel, StreamStart from) {
      start = from;
      return new TunnelInfo(
          "new-" + tunnel, tunnel, table, TunnelType.Stream, StreamTunnelConfig.of(from), 0);
    }

    @Override
    public PerfRun.Workers workers(String tunnelId, int count, Processing processing) {
      consumed = tunnelId;
      workers = count;
      return new PerfRun.Workers() {
        @Override
        public void start() {
          if (isPaused) {
            return;
          }
          IChannelProcessor processor =
              processing instanceof Processing.PerChannel each
                  ? each.factory().createProcessor(tunnelId, "s1", "1_c", checkpoints)
                  : ((Processing.Shared) processing).processor();
          processor.process(Inputs.of("1_c", 40, 0, 0));
          processor.closing("1_c");
        }

        @Override
        public void shutdown() {
          isShutDown = true;
        }

        @Override
        public List<TunnelWorkerStatus> status() {
          return List.of(
              new TunnelWorkerStatus(
                  state,
                  Optional.empty(),
                  List.of(),
                  new TunnelWorkerStatus.Counters(0, 0, 0, 0, 0, 0),
                  Optional.of("gone"),
                  new TunnelWorkerStatus.Activity(phase, 0)));
        }
      };
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private final FakeServer server = new FakeServer();
  private final FakeEngine flink = new FakeEngine();
  private List<PerfEngine> engines = List.of(flink);
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private boolean isTerminal;

  private int run(String arguments) {
    return run(new PrintWriter(out), arguments);
  }

  private int run(PrintWriter printer, String arguments) {
    CommandLine command =
        new CommandLine(
                new PerfCommand(endpoint -> server, () -> engines, new ReportOption(isTerminal)))
            .setOut(printer)
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments.split(" "));
  }

  private void addTunnel(String name) {
    server.tunnels.add(
        new TunnelInfo("id-" + name, name, "t", TunnelType.Stream, StreamTunnelConfig.LATEST, 0));
  }

  @Test
  void a_tunnel_is_consumed_by_name_until_the_rows_are_there() {
    addTunnel("other");
    addTunnel("x");
    assertThat(run("--table t --tunnel x --rows 39 --workers 3 --per-channel --touch")).isZero();
    assertThat(server.consumed).isEqualTo("id-x");
    assertThat(server.workers).isEqualTo(3);
    assertThat(server.isShutDown).isTrue();
    assertThat(server.isClosed).isTrue();
    assertThat(server.checkpoints.tokens).containsExactly("39");
    List<String> lines = out.toString().lines().toList();
    assertThat(JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject())
        .satisfies(
            summary -> {
              assertThat(summary.get("kind").getAsString()).isEqualTo("summary");
              assertThat(summary.get("rows").getAsLong()).isEqualTo(39);
              assertThat(summary.get("stoppedBy").getAsString()).isEqualTo("rows");
              assertThat(summary.getAsJsonObject("rowsPerSecondByChannel").has("1_c")).isTrue();
            });
  }

  @Test
  void a_terminal_gets_lines_for_people_unless_json_is_asked_for() {
    addTunnel("x");
    isTerminal = true;
    assertThat(run("--table t --tunnel x --rows 39 --per-channel")).isZero();
    assertThat(out.toString())
        .containsPattern("total +39 rows +[0-9,]+ rows/s .* latency p50 .* ended by rows")
        .containsPattern(" 1_c [0-9,]+ rows/s")
        .doesNotContain("{");
    out.getBuffer().setLength(0);
    assertThat(run("--table t --tunnel x --rows 39 --json")).isZero();
    assertThat(out.toString().lines()).allMatch(line -> line.startsWith("{"));
  }

  /** As {@code head} does, which ends after its lines: the run would go on for ever. */
  @Test
  void whose_output_nobody_reads_any_more_ends() {
    addTunnel("x");
    PrintWriter unread = new PrintWriter(out);
    // It loses what is printed, as one does whose reader has gone.
    unread.close();
    assertThat(run(unread, "--table t --tunnel x --interval 50ms")).isZero();
    assertThat(server.isShutDown).isTrue();
  }

  @Test
  void a_tunnel_is_made_where_told_when_there_is_none() {
    assertThat(run("--table t --tunnel x --create --start EARLIEST --rows 1")).isZero();
    assertThat(server.consumed).isEqualTo("new-x");
    assertThat(server.start).isEqualTo(StreamStart.EARLIEST);
    assertThat(run("--table t --tunnel x --create --rows 1")).isZero();
    assertThat(server.start).isEqualTo(StreamStart.LATEST);
  }

  @Test
  void an_id_names_a_tunnel_by_itself() {
    addTunnel("x");
    assertThat(run("--tunnel-id id-x --rows 1")).isZero();
    assertThat(server.consumed).isEqualTo("id-x");
  }

  @Test
  void an_id_that_no_tunnel_has_is_refused_in_one_line() {
    addTunnel("x");
    assertThat(run("--tunnel-id abc --rows 1")).isEqualTo(4);
    assertThat(err.toString().lines())
        .containsExactly(
            "perf: there is no tunnel with the id 'abc'; 'tunnel tunnels list' shows those there"
                + " are");
    assertThat(server.consumed).isNull();
  }

  @Test
  void a_paused_tunnel_is_said_to_be_paused_and_being_idle_is_no_success_then() {
    addTunnel("x");
    server.isPaused = true;
    assertThat(run("--table t --tunnel x --until-idle 50ms")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "tunnel 'x' of table 't' is paused: 'tunnel tunnels resume --table t --tunnel x' lets"
                + " it go on");
    assertThat(out.toString()).contains("\"stoppedBy\":\"standstill\"");
    server.isPaused = false;
    assertThat(run("--table t --tunnel x --until-idle 50ms")).isZero();
  }

  @Test
  void being_idle_without_a_session_is_no_success() {
    addTunnel("x");
    server.phase = TunnelWorkerStatus.Phase.PAUSING;
    assertThat(run("--table t --tunnel x --until-idle 50ms")).isEqualTo(69);
    assertThat(err.toString()).contains("no worker had a session when the run ended", "gone");
    assertThat(out.toString()).contains("\"stoppedBy\":\"disconnected: gone\"");
  }

  @Test
  void an_unknown_tunnel_is_refused_with_those_there_are() {
    addTunnel("a");
    addTunnel("b");
    assertThat(run("--table t --tunnel x --rows 1")).isEqualTo(4);
    assertThat(err.toString()).contains("no tunnel 'x', only a, b; --create makes it");
  }

  @Test
  void workers_that_stop_by_themselves_are_a_failure() {
    addTunnel("x");
    server.state = TunnelWorkerStatus.State.WORKER_HALT;
    assertThat(run("--table t --tunnel x --rows 99")).isEqualTo(1);
    assertThat(err.toString()).contains("perf: the readers have stopped: gone");
  }

  @Test
  void a_job_reads_a_table_from_where_it_is_told() {
    flink.windows.add(FakeEngine.window(1_000, 60, 0));
    assertThat(run("--engine flink --table t --start EARLIEST --workers 3 --rows 50 --touch"))
        .isZero();
    assertThat(flink.task)
        .isEqualTo(
            new PerfEngine.Task(
                new PerfEngine.Place("127.0.0.1:7650", "t", Optional.empty()),
                StreamStart.EARLIEST,
                3,
                5_000,
                new RecordWork.Cost(true, 0)));
    assertThat(flink.calls).containsExactly("stop", "close");
    assertThat(server.consumed).isNull();
    assertThat(out.toString()).contains("\"kind\":\"interval\"").contains("\"rows\":60");
  }

  @Test
  void a_job_moves_the_checkpoints_of_a_tunnel_that_may_be_made_for_it() {
    flink.windows.add(FakeEngine.window(1_000, 60, 0));
    assertThat(run("--engine flink --table t --tunnel x --create --rows 50")).isZero();
    assertThat(server.start).isEqualTo(StreamStart.LATEST);
    assertThat(flink.task.place().tunnel()).contains("x");
    assertThat(run("--engine flink --table t --tunnel y --rows 50")).isEqualTo(4);
    assertThat(err.toString()).contains("no tunnel 'y'");
  }

  @Test
  void a_job_that_fails_is_a_failure() {
    flink.failure = Optional.of("HISTORY_LOST: gone");
    assertThat(run("--engine flink --table t --rows 50")).isEqualTo(1);
    assertThat(err.toString()).contains("perf: the readers have stopped: HISTORY_LOST: gone");
  }

  @Test
  void windows_that_a_job_could_not_give_are_told() {
    flink.windows.add(FakeEngine.window(1_000, 60, 0));
    flink.stopFailure = Optional.of("no place for savepoints");
    assertThat(run("--engine flink --table t --rows 50")).isZero();
    assertThat(err.toString()).contains("rows may be missing above: no place for savepoints");
  }

  @Test
  void an_engine_that_is_not_there_is_unavailable() {
    engines = List.of();
    assertThat(run("--engine flink --table t --rows 50")).isEqualTo(69);
    assertThat(err.toString()).contains("Apache Flink is not beside this program");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rows 5 | name a tunnel with --table and --tunnel, or with --tunnel-id",
        "--table t | name a tunnel",
        "--tunnel-id a --table t | without --table, --tunnel and --create",
        "--tunnel-id a --create | without --table, --tunnel and --create",
        "--table t --tunnel x --start LATEST | give both",
        "--table t --tunnel x --create --start SOON | expected one of [EARLIEST, LATEST]",
        "--tunnel-id a --workers 0 | --workers is 1 to 256, not 0",
        "--tunnel-id a --rows 0 | --rows is at least 1, not 0",
        "--tunnel-id a --work-micros -1 | '-1' is not a time such as",
        "--tunnel-id a --work-micros 11s | --work-micros is 0 to 10000000, not 11000000",
        "--tunnel-id a --interval 0s | give more than 0",
        "--tunnel-id a --until-idle x | 'x' is not a time such as",
        "--engine spark --table t | --engine is sdk or flink, not spark",
        "--engine flink --tunnel x | --engine flink reads a table",
        "--engine flink --tunnel-id a | --engine flink reads a table",
        "--engine flink --table t --create | --create makes the tunnel that --tunnel names",
        "--engine flink --table t --tunnel x --start LATEST | give --start without it",
        "--engine flink --table t --interval 99ms | --interval is at least 100 ms",
      })
  void a_bad_option_ends_with_2_and_says_what_would_be_right(String arguments, String message) {
    assertThat(run(arguments.strip())).isEqualTo(2);
    assertThat(err.toString()).contains(message.strip());
    assertThat(server.consumed).isNull();
    assertThat(flink.task).isNull();
  }
}
