package io.tunnel.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Every command is given what cannot be, against a real server: the answer is an exit code that
 * tells whose fault it is, and a sentence for people, which speaks of no class, no stack frame and
 * no number that only a program reads.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("proof-programs")
class BadInputSweepTest {

  /** What belongs to programmers. */
  private static final Pattern INTERNAL =
      Pattern.compile(
          "Exception|\\bat io\\.tunnel|\\b(?:java|javax|io|com|org)\\.[a-z]+\\.\\w+"
              + "|\\b[A-Z]\\w*\\[|\\[\\w+=|setStrictness|BEGIN_|END_DOCUMENT|For input string"
              + "|\\(\\.\\.\\)|error\\(-|Optional\\.|is not an? (?:int|long)\\b|\\bnull\\b|\\b1[0-9]{12}\\b"
              + "|@[0-9a-f]{6,}");

  private static final String NOBODY = "--server 127.0.0.1:1";

  /** A line each; FILES/ is a directory with the files below, DEAD a port where nobody listens. */
  private static final String LINES =
      """
      nonsense
      doctor
      doctor --data FILES/nope
      doctor --data FILES/good.csv
      doctor --data FILES
      doctor --data FILES/data
      backup --data FILES/data
      backup --data FILES/nope --to FILES/backup
      backup --data FILES/data --to FILES/data/inside
      backup --data FILES/data --to FILES
      backup --data FILES/data --to FILES/good.csv
      restore --from FILES/nope --list
      restore --from FILES --data FILES/new
      restore --from FILES/nope
      bench
      bench quick --rows few
      bench quick --rows 1
      bench quick --out FILES/good.csv
      bench quick --work FILES/good.csv
      bench growth --only nope
      bench soak --minutes long
      bench soak --rate -1
      bench whitepaper --cases many
      bench growth --keys 1,x
      bench growth --backlog lots
      torture --minutes -1
      torture --faults flood
      torture --work FILES/good.csv
      torture --hostile --time x
      torture --hostile --connections many
      torture --hostile --server 192.0.2.1:7650 --profile FILES/nope.json
      tables
      tables describe --table nope
      tables describe --table 1
      tables scan --table nope
      tables scan --table load --from zz
      tables scan --table load --to zz
      tables scan --table load --limit x
      tables get --table nope --key a=1
      tables get --table load --key hash=xyz --key uid=a --key seq=1 --key kind=a
      tables get --table load --key hash=00 --key uid=a --key seq=x --key kind=a
      tables get --table load --key hash=00
      tables get --table load --key hash=00 --key uid=a --key seq=1 --key kind=a
      tables get --table load --key nope=1
      tables alter --table nope --retention 1h
      tables alter --table load
      tables alter --table load --retention soon
      tables alter --table load --retention-bytes lots
      tables alter --table load --durability NEVER
      tables drop --table nope --yes
      tables drop --table load
      tables list --server nohost.invalid:7650
      tables list --server [::1
      tables list --server 127.0.0.1:99999
      tables list --server HTTP
      tables list DEAD
      tables list --profile nope-nope
      tables list --profile a@b
      tables list --profile FILES/nope.json
      tables list --profile FILES
      tables list --profile FILES/text.json
      tables list --profile FILES/list.json
      tables list --profile FILES/binary.json
      tables list --profile FILES/unknown.json
      tables list --profile FILES/tls.json
      tables list --profile FILES/authority.json
      tables list --profile FILES/shared.json
      security
      security init
      security init --dir FILES
      security init --dir FILES/good.csv
      security init --dir FILES/good.csv/security
      security init --dir FILES/s --name a:1
      security init --dir FILES/s --days soon
      security certificate --dir FILES --out FILES/s
      security certificate --dir FILES --out FILES/s --name a
      security certificate --dir FILES/nope --out FILES/s --client a
      security certificate --dir FILES --out FILES/s --client a,b
      tunnels list --table nope
      tunnels list DEAD
      tunnels describe --table nope --tunnel a
      tunnels describe --table load --tunnel nope
      tunnels describe --table load --tunnel audit --watch soon
      tunnels describe --table load --tunnel audit --watch 1s --count x
      tunnels create --table load --tunnel audit
      tunnels create --table nope --tunnel t
      tunnels create --table load --tunnel t --type X
      tunnels create --table load --tunnel t --start 2026-13-01
      tunnels create --table load --tunnel t --start 2231-01-01T00:00:00Z
      tunnels create --table load --tunnel t --start -1h --end -2h
      tunnels create --table load --tunnel t --end 1
      tunnels seek --table load --tunnel nope --to latest --yes
      tunnels seek --table load --tunnel audit --to never --yes
      tunnels seek --table load --tunnel audit --to +1h --yes
      tunnels seek --table load --tunnel audit --to 99999999999999999999 --yes
      tunnels seek --table load --tunnel audit --to position:x --yes
      tunnels seek --table load --tunnel audit --to position:5 --channel nope --yes
      tunnels seek --table load --tunnel audit --to latest
      tunnels pause --table load --tunnel audit --channel nope
      tunnels pause --table load --tunnel nope
      tunnels resume --table load --tunnel nope
      tunnels clone --table load --tunnel audit --to-tunnel audit --yes
      tunnels clone --table load --tunnel audit --to-tunnel nope --yes
      tunnels end-session --table load --tunnel audit --session nope
      tunnels delete --table load --tunnel nope --yes
      tunnels delete --table load --tunnel audit
      tunnels export --table load --tunnel audit --out FILES/nodir/x.json
      tunnels export --table load --tunnel audit --out FILES/text.json
      tunnels import --table load --tunnel audit --in FILES/none
      tunnels import --table load --tunnel audit --in FILES/text.json
      tunnels import --table load --tunnel audit --in FILES/binary.json
      tunnels import --table load --tunnel audit --in FILES/list.json
      tunnels import --table load --tunnel audit --in FILES/version.json
      tunnels import --table load --tunnel audit --in FILES/empty.json
      tunnels import --table load --tunnel audit --in FILES
      tunnels import --table load --tunnel audit --in -
      partition create --table p --key id:FLOAT --partitions 4
      partition create --table p --key id --partitions 4
      partition create --table p --key id:INTEGER --partitions 0
      partition create --table p --key id:INTEGER --partitions x
      partition create --table p --key id:INTEGER --partitions 4 --from a --to b
      partition create --table p --key id:INTEGER --partitions 4 --points 1,x
      partition create --table p --key id:INTEGER --partitions 4 --split nothing
      partition create --table p --key s:STRING --partitions 4 --sample FILES/none
      partition create --table p --key s:STRING --partitions 4 --sample FILES/binary.csv --column name
      partition create --table p --key s:STRING --partitions 4 --sample FILES/good.csv --column nope
      partition create --table p --key s:STRING --partitions 4 --sample FILES
      partition create --table load --key id:INTEGER --partitions 4 --from 1 --to 9
      partition create --table p --key b:BINARY --partitions 4 DEAD
      partition describe --table nope
      stress --table nope --rows 5
      stress --table other --rows 5
      stress --table load --rows x
      stress --table load --rows -5
      stress --table load --rows 5 --row-bytes 5GiB
      stress --table load --rows 5 --row-bytes many
      stress --table load --rows 5 --linger soon
      stress --table load --rows 5 --distribution none
      stress --table load --rows 5 --puts 50
      stress --table load --rows 5 --in-doubt-file FILES/nodir/f
      stress --create --table n --rows 5 --partitions 0
      stress --table load --from FILES/none.csv
      stress --table load --from FILES/binary.csv
      stress --table load --from FILES/bad.jsonl
      stress --table load --from FILES/seq.csv
      stress --table load --from FILES/seq.csv --types seq:FOO
      stress --table load --from FILES/text.json
      stress --table load --from FILES
      stress --table load --rows 5 DEAD
      perf --table nope --tunnel a
      perf --table load --tunnel nope
      perf --tunnel-id nope
      perf --table load --tunnel audit --rows x
      perf --table load --tunnel audit --workers x
      perf --table load --tunnel a/b --create --rows 1
      perf --table load --tunnel b --create --start soon --rows 1
      perf --table load --tunnel audit --engine none
      perf --table a --tunnel b DEAD
      perf --tunnel-id b DEAD
      cluster
      cluster DEAD
      cluster drain n1
      cluster drain n1 DEAD
      health --http 127.0.0.1:1
      health --http nohost.invalid:7651
      health --http nonsense
      health --timeout never
      health --authority FILES/nope
      health --authority FILES/good.csv
      demo --rows x
      demo --partitions 0
      demo --from FILES/none.csv
      demo --from FILES/binary.csv
      demo --server 127.0.0.1:1 --rows 10
      demo --profile FILES/unknown.json --rows 10
      demo --profile nope --nodes 2
      cluster --profile FILES/unknown.json
      stress --table load --rows 5 --profile FILES/unknown.json
      perf --table load --tunnel audit --profile FILES/unknown.json
      tail load --profile FILES/unknown.json
      server
      server --data FILES/d --config FILES/none
      server --data FILES/d --config FILES/text.json
      server --data FILES/d --config FILES/binary.json
      server --data FILES/d --config FILES/list.json
      server --data FILES/d --config FILES/port.json
      server --data FILES/d --config FILES/unknown.json
      server --data FILES/d --port x
      server --data FILES/d --port 99999
      server --data FILES/d --host nohost.invalid --http-port 0
      server --data FILES/text.json --port 0 --http-port 0
      server --data FILES/d --log paper
      server --data FILES/d --log kafka --bootstrap 127.0.0.1:1 --node n1 --session-ms soon
      server --data FILES/d --log kafka --bootstrap 127.0.0.1:1 --node n1 --kafka-config FILES/none
      help nope
      completion tcsh
      """;

  /** Others may read it. */
  private static final String SHARED = "shared.json";

  private static final Map<String, String> FILES =
      Map.ofEntries(
          entry("text.json", "{not json"),
          entry("list.json", "[1,2]"),
          entry("empty.json", ""),
          entry("binary.json", "\u00ff\u00fe{"),
          entry("version.json", "{\"format\":\"tunnel-checkpoints\",\"version\":\"x\"}"),
          entry("port.json", "{\"net\":{\"port\":\"x\"}}"),
          entry("unknown.json", "{\"net\":{\"prt\":1}}"),
          entry("binary.csv", "uid,seq,kind\na,1,\u00ff\u00fe\n"),
          entry("bad.jsonl", "{\"uid\":}\n"),
          entry("seq.csv", "uid,seq,kind\na,x,k\n"),
          entry("tls.json", "{\"tls\":\"yes\"}"),
          entry("authority.json", "{\"authority\":\"nope.crt\"}"),
          entry(SHARED, "{}"));

  @TempDir private static Path directory;

  private Server server;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  void a_server_with_tables_and_a_tunnel() throws IOException {
    NetConfig net = new NetConfig("127.0.0.1", 0, 0, 1, 100, false);
    server = Server.alone(directory.resolve("data"), ServerConfig.defaults(1).withNet(net));
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      Path made = directory.resolve(file.getKey());
      Files.write(made, file.getValue().getBytes(ISO_8859_1));
      String rights = file.getKey().equals(SHARED) ? "rw-r--r--" : "rw-------";
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(rights));
    }
    Files.writeString(directory.resolve("good.csv"), "name\na\nb\nc\n");
    assertThat(run("stress --create --table load --partitions 2 --rows 10")).isZero();
    assertThat(run("partition create --table other --key hash:BINARY,uid:STRING --partitions 1"))
        .isZero();
    assertThat(run("tunnels create --table load --tunnel audit")).isZero();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  static List<String> lines() {
    return LINES.lines().toList();
  }

  private int run(String line) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    boolean asksServer = line.matches("(tables|tunnels|partition|stress|perf|cluster)( .*)?");
    String http = "127.0.0.1:" + server.httpAddress().orElseThrow().getPort();
    String whole =
        line.replace("FILES", directory.toString()).replace("HTTP", http).replace("DEAD", NOBODY);
    if (asksServer && whole.contains(" ") && !whole.contains("--server")) {
      whole += " --server 127.0.0.1:" + server.localAddress().getPort();
    }
    CommandLine root =
        TunnelCommand.commandLine(CommandLine.defaultFactory())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(
        root, Diagnosis.standard().or(new ServiceDiagnosis()), whole.split(" "));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void what_cannot_be_is_answered_with_a_sentence_for_people(String line) {
    int exitCode = run(line);
    assertThat(exitCode).as(err::toString).isIn(1, 2, 3, 4, 69, 74);
    String said = err.toString().replace(directory.toString(), "FILES");
    assertThat(said).isNotBlank();
    assertThat(said.lines()).anyMatch(one -> one.startsWith("tunnel"));
    Matcher internal = INTERNAL.matcher(said);
    assertThat(internal.find() ? internal.group() : "").as(said).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void with_json_the_last_line_of_it_is_json_with_that_exit_code(String line) {
    int exitCode = run(line + " --json");
    List<String> said = err.toString().lines().toList();
    assertThat(said).isNotEmpty();
    JsonObject error =
        JsonParser.parseString(said.get(said.size() - 1))
            .getAsJsonObject()
            .getAsJsonObject("error");
    assertThat(error.get("exitCode").getAsInt()).isEqualTo(exitCode);
    assertThat(error.get("message").getAsString()).isNotBlank();
    assertThat(error.get("code").getAsString()).matches("[A-Z_]+");
  }
}
