package io.tunnel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ServerConfigTest {

  private static final ServerConfig DEFAULTS = ServerConfig.defaults(2);

  @TempDir private Path directory;

  private ServerConfig with(String json) throws IOException {
    Path file = directory.resolve("config.json");
    Files.writeString(file, json);
    return DEFAULTS.withFile(file);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64, 1_000})
  void the_defaults_are_legal_on_any_machine(int cores) {
    assertThat(ServerConfig.defaults(cores).log().shards()).isBetween(1, 64);
  }

  @Test
  void a_file_names_only_what_differs() throws IOException {
    ServerConfig config = with("{\"net\":{\"port\":1},\"log\":{\"shards\":5}}");
    assertThat(config.net().port()).isEqualTo(1);
    assertThat(config.net().host()).isEqualTo(DEFAULTS.net().host());
    assertThat(config.log().shards()).isEqualTo(5);
    assertThat(config.log().segmentBytesMax()).isEqualTo(DEFAULTS.log().segmentBytesMax());
    assertThat(config.table()).isEqualTo(DEFAULTS.table());
    assertThat(with("{}")).isEqualTo(DEFAULTS);
  }

  @Test
  void what_it_prints_is_a_file_that_gives_it_back() throws IOException {
    assertThat(with(DEFAULTS.toString())).isEqualTo(DEFAULTS);
    assertThat(DEFAULTS.toString()).doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'nets':{}} | unknown setting 'nets'; there are [net, log, shard, table, session, base, catalog, security, audit, catchUp, console]",
        "{'net':{'port':1},'net':{'host':'h'}} | the name 'net' comes twice in an object",
        "{'net':{'port':1,'port':2}} | the name 'port' comes twice in an object",
        "{'net':{'prot':1}} | unknown setting 'net.prot'; there are [host, port,",
        "{'net':null} | net is an object, not null",
        "{'net':5} | net",
        "{'base':{'snapshotMsMax':0}} | base.snapshotMsMax is 1 to 604800000 (a week), not 0",
        "{'base':{'snapshotMsMax':604800001}} | base.snapshotMsMax is 1 to 604800000",
        "{'net':{'host':''}} | net.host is an address, not empty",
        "{'net':{'host':null}} | net.host is text in quotes, not null",
        "{'net':{'port':-1}} | net.port is 0 to 65535, not -1",
        "{'net':{'port':65536}} | net.port is 0 to 65535, not 65536",
        "{'net':{'port':'x'}} | port",
        "{'net':{'port':null}} | port",
        "{'net':{'httpPort':-2}} | net.httpPort is -1 to 65535, not -2",
        "{'net':{'threads':0}} | net.threads is 1 to 256, not 0",
        "{'net':{'threads':1.5}} | net.threads is a whole number, not 1.5",
        "{'net':{'threads':'2'}} | net.threads is a whole number, not \"2\"",
        "{'net':{'threads':true}} | net.threads is a whole number, not true",
        "{'net':{'port':4294967297}} | net.port is out of range: 4294967297",
        "{'net':{'connectionsMax':1e999999999}} | net.connectionsMax is",
        "{'net':{'isInsecure':'yes'}} | net.isInsecure is true or false, not \"yes\"",
        "{'net':{'isInsecure':1}} | net.isInsecure is true or false, not 1",
        "{'net':{'host':5}} | net.host is text in quotes, not 5",
        "{'net':{'host':['a']}} | net.host is text in quotes, not [",
        "{'base':{'snapshotMsMax':18446744073709551617}} | base.snapshotMsMax is out of range",
        "{'table':{'writeBufferBytes':1048576.5}} | table.writeBufferBytes is a whole number",
        "{'log':{'kafka':{'requestMs':0.5}}} | log.kafka.requestMs is a whole number, not 0.5",
        "{'log':{'kafka':null}} | log.kafka is an object, not null",
        "{'log':{'shards':0}} | log.shards is 1 to 64, not 0",
        "{'log':{'shards':65}} | log.shards is 1 to 64, not 65",
        "{'log':{'segmentBytesMax':65535}} | log.segmentBytesMax is 65536 (64 KiB) to",
        "{'log':{'openFilesMax':15}} | log.openFilesMax is 16 to 1000000, not 15",
        "{'log':{'openFilesMax':1000001}} | not 1000001",
        "{'log':{'segmentBytesMax':1073741825}} | 1073741824 (1 GiB), not 1073741825",
        "{'log':{'retentionCheckMs':99}} | log.retentionCheckMs is 100 to 3600000 (an hour), not 99",
        "{'log':{'retentionCheckMs':3600001}} | log.retentionCheckMs is 100 to 3600000",
        "{'shard':{'groupBytesMax':4095}} | shard.groupBytesMax is 4096 to 67108864",
        "{'shard':{'groupBytesMax':67108865}} | shard.groupBytesMax is 4096 to 67108864",
        "{'shard':{'mergedBytesMax':4095}} | shard.mergedBytesMax is 4096 to 6291456",
        "{'shard':{'mergedBytesMax':6291457}} | shard.mergedBytesMax is 4096 to 6291456",
        "{'shard':{'queueBytesMax':6291455}} | shard.queueBytesMax is at least groupBytesMax",
        "{'table':{'writeBufferBytes':1}} | table.writeBufferBytes is at least 1 MiB, not 1",
        "{'table':{'blockCacheBytes':1}} | table.blockCacheBytes is at least 1 MiB, not 1",
        "{'table':{'backgroundJobs':0}} | table.backgroundJobs is at least 1, not 0",
        "{'session':{'revokeDeadlineMs':0}} | session.revokeDeadlineMs is at least 1, not 0",
        "{'session':{'deliveryBytesMax':0}} | session.deliveryBytesMax is 1 to 6291456",
        "{'session':{'deliveryBytesMax':6291457}} | session.deliveryBytesMax is 1 to 6291456",
        "{'audit':{'requests':'some'}} | audit.requests is refused, changes or all",
        "{'audit':{'requests':1}} | audit.requests is text in quotes, not 1",
        "{'audit':{'bytesMax':65535}} | audit.bytesMax is 65536 (64 KiB) to",
        "{'audit':{'filesMax':0}} | audit.filesMax is 1 to 1000, not 0",
        "{'net':{'limits':{'connectionsPerAddressMax':-1}}} | connectionsPerAddressMax is at least 0",
        "{'net':{'limits':{'idleMsMax':9999}}} | net.limits.idleMsMax is 10000 to 604800000",
        "{'net':{'limits':{'idleMsMax':604800001}}} | net.limits.idleMsMax is 10000 to 604800000",
        "{'net':{'limits':{'principalMetricsMax':-1}}} | principalMetricsMax is 0 to 10000, not -1",
        "{'net':{'limits':{'principalMetricsMax':10001}}} | principalMetricsMax is 0 to 10000",
        "{'net':{'limits':{'channelMetricsMax':-1}}} | channelMetricsMax is 0 to 1000000, not -1",
        "{'net':{'limits':{'channelMetricsMax':1000001}}} | channelMetricsMax is 0 to 1000000",
        "{'catchUp':{'waitPercentMax':109}} | catchUp.waitPercentMax is 110 to 10000, not 109",
        "{'catchUp':{'bytesPerSecondMin':0}} | catchUp.bytesPerSecondMin is 1 to 1099511627776",
        "[] | is not a JSON object",
        "garbage{ | is not a JSON object",
        "`` | is not a JSON object"
      })
  void what_cannot_work_is_refused_with_what_would_be_right(String json, String message) {
    assertThatThrownBy(() -> with(json.replace('\'', '"')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2000", "2000.0", "2e3"})
  void a_whole_number_may_be_written_in_any_way(String number) throws IOException {
    assertThat(with("{\"base\":{\"snapshotMsMax\":" + number + "}}").base().snapshotMsMax())
        .isEqualTo(2_000);
  }

  @Test
  void a_file_that_is_not_json_is_answered_without_advice_for_programmers() {
    assertThatThrownBy(() -> with("{\"net\": {port}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 1")
        .hasMessageNotContaining("Strictness")
        .hasMessageNotContaining("http");
  }

  @Test
  void a_file_that_is_not_there_is_an_io_failure() {
    assertThatThrownBy(() -> DEFAULTS.withFile(directory.resolve("none")))
        .isInstanceOf(IOException.class);
  }
}
