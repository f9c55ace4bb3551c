package io.tunnel.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.Binary;
import io.tunnel.codec.Checksum;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.terminal.ExitCode;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksIterator;

/**
 * Directories of a real server, whole and damaged in every way; what is said, and what is mended.
 */
class DoctorCommandTest extends DamagedDirectoryTest {

  @Test
  void a_directory_of_a_stopped_server_is_sound_and_no_byte_of_it_changes() throws Exception {
    assertThat(found(0)).isEmpty();
    assertThat(files(0, ".log").size()).as("segments").isGreaterThan(2);
    Map<String, String> before = content();
    assertThat(doctor()).isZero();
    assertThat(out.toString())
        .contains("1 table, 1 tunnel, 2 shards", "sound: a server can start on it");
    assertThat(out.toString()).containsPattern("compared \\d{3} rows");
    assertThat(doctor("--quick")).isZero();
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void what_is_no_data_directory_is_a_usage_error_and_one_in_use_is_refused() throws Exception {
    Path real = data;
    data = directory;
    assertThat(doctor()).isEqualTo(2);
    assertThat(err.toString()).contains("is no data directory");
    data = directory.resolve("nowhere");
    assertThat(doctor()).isEqualTo(2);
    data = real;
    try (Server server = TestDirectory.server(data)) {
      assertThat(server.localAddress()).isNotNull();
      assertThat(doctor()).isEqualTo(69);
      assertThat(err.toString()).contains("is in use by a server");
      assertThat(doctor("--repair")).isEqualTo(69);
    }
    assertThat(doctor("--work", directory.resolve("nowhere").toString())).isEqualTo(2);
  }

  @Test
  void a_flipped_byte_in_a_segment_is_found_and_nothing_is_made_of_such_a_log() throws Exception {
    Path segment = files(0, ".log").get(1);
    flip(segment, Files.size(segment) / 2);
    assertThat(found(1)).contains("LOG_DAMAGED", "CHANGES_MISSING");
    assertThat(doctor()).isEqualTo(1);
    assertThat(out.toString())
        .contains("WRONG LOG_DAMAGED, shard-0/log/" + segment.getFileName())
        .contains("are not what was written", "restore that file of the log from a backup");
    delete(data.resolve("shard-0/table"));
    assertThat(doctor("--repair")).isEqualTo(1);
    assertThat(out.toString())
        .contains("shard-0: nothing was done, because its log is not complete");
  }

  @Test
  void what_is_damaged_is_given_up_with_consent_and_everything_else_is_served() throws Exception {
    long whole = rowsOfWholeDirectory();
    Path segment = files(0, ".log").get(1);
    flip(segment, Files.size(segment) / 2);
    Files.delete(files(0, ".index").get(1));
    assertThatThrownBy(() -> TestDirectory.server(data)).hasMessageContaining("is damaged at");
    Map<String, String> before = content();
    assertThat(doctor("--salvage")).isEqualTo(1);
    assertThat(content()).isEqualTo(before);
    Matcher range =
        Pattern.compile(
                "salvage: shard-0: would delete (\\d+) changes, positions (\\d+) to (\\d+)"
                    + " of partition (\\d+) of table orders")
            .matcher(out.toString());
    assertThat(range.find()).as(() -> out.toString()).isTrue();
    assertThat(doctor("--salvage", "--yes")).as(() -> out + "" + err).isZero();
    assertThat(out.toString())
        .contains("salvage: shard-0: deleted " + range.group(1) + " changes")
        .contains("note  CHANGES_GIVEN_UP, shard-0/log: changes " + range.group(2))
        .contains("sound as far as checked: a server can start on it");
    assertThat(data.resolve("aside-1/shard-0/log").resolve(segment.getFileName())).exists();
    assertThat(found(ExitCode.NOT_ALL_CHECKED)).containsOnly("CHANGES_GIVEN_UP");
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      assertThat(rows(tables)).as("rows keep what was folded").isEqualTo(whole);
      TestDirectory.write(tables, TestDirectory.CHANGES, TestDirectory.CHANGES + 100);
      assertLost(tunnels, Long.parseLong(range.group(2)));
    }
  }

  /** A new tunnel is delivered what is in front of the loss, and one channel is told of it. */
  private static void assertLost(TunnelClient tunnels, long first) throws Exception {
    String id =
        tunnels
            .createTunnel(
                new CreateTunnelRequest("orders", "again", TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    Map<String, Long> delivered = new ConcurrentHashMap<>();
    CompletableFuture<Map.Entry<String, Throwable>> stopped = new CompletableFuture<>();
    TunnelWorkerConfig config =
        new TunnelWorkerConfig(
            input ->
                delivered.merge(input.getChannelId(), (long) input.getRecords().size(), Long::sum));
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void channelStopped(String channelId, Throwable error) {
            stopped.complete(Map.entry(channelId, error));
          }
        });
    TunnelWorker worker = new TunnelWorker(id, tunnels, config);
    worker.connectAndWorking();
    try {
      Map.Entry<String, Throwable> loss = stopped.get(60, TimeUnit.SECONDS);
      assertThat(loss.getValue().toString()).contains("HISTORY_LOST");
      assertThat(delivered.getOrDefault(loss.getKey(), 0L)).isEqualTo(first - 1);
    } finally {
      worker.shutdown();
    }
  }

  @Test
  void rows_are_not_made_of_a_log_that_has_lost_changes_without_consent() throws Exception {
    Path segment = files(0, ".log").get(1);
    flip(segment, Files.size(segment) / 2);
    delete(data.resolve("shard-0/table"));
    assertThat(doctor("--salvage", "--yes")).as(() -> out + "" + err).isZero();
    assertThat(out.toString()).contains("the rows are made of the changes that are left");
    delete(data.resolve("shard-0/table"));
    assertThat(found(1)).contains("TABLE_LOST", "CHANGES_GIVEN_UP");
    assertThatThrownBy(() -> TestDirectory.server(data))
        .hasMessageContaining("has no rows, and damaged changes of the log were deleted");
    assertThat(data.resolve("shard-0/table/CURRENT")).doesNotExist();
    assertThat(doctor("--repair")).isEqualTo(1);
    assertThat(data.resolve("shard-0/table/CURRENT")).doesNotExist();
    assertThat(doctor("--salvage", "--yes")).as(() -> out + "" + err).isZero();
    TestDirectory.server(data).close();
  }

  @Test
  void a_salvage_needs_its_catalog_and_its_words_fit_together() throws Exception {
    assertThat(doctor("--salvage", "--repair")).isEqualTo(2);
    assertThat(doctor("--yes")).isEqualTo(2);
    Map<String, String> before = content();
    assertThat(doctor("--salvage", "--yes")).as("nothing is damaged").isZero();
    assertThat(content()).isEqualTo(before);
    Path segment = files(0, ".log").get(1);
    flip(segment, Files.size(segment) / 2);
    delete(data.resolve("catalog"));
    before = content();
    assertThat(doctor("--salvage", "--yes")).isEqualTo(1);
    assertThat(out.toString()).contains("nothing is deleted: without the catalog");
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void a_torn_end_is_a_note() throws Exception {
    Path last = files(1, ".log").get(files(1, ".log").size() - 1);
    byte[] group = Arrays.copyOfRange(Files.readAllBytes(last), 32, 200);
    Files.write(last, group, StandardOpenOption.APPEND);
    assertThat(found(0)).containsExactly("LOG_TORN");
    requireServes(rowsOfWholeDirectory());
  }

  @Test
  void a_missing_index_is_a_note_and_is_made_again() throws Exception {
    Path index = files(0, ".index").get(0);
    byte[] before = Files.readAllBytes(index);
    Files.delete(index);
    assertThat(found(0)).containsExactly("INDEX_MISSING");
    requireRepaired();
    assertThat(Files.readAllBytes(index)).isEqualTo(before);
  }

  @Test
  void an_index_that_cannot_be_read_is_a_note_and_is_made_again() throws Exception {
    Path index = files(0, ".index").get(0);
    flip(index, Files.size(index) / 2);
    assertThat(found(0)).containsExactly("INDEX_UNUSABLE");
    requireRepaired();
    assertThat(data.resolve("aside-1/shard-0/log").resolve(index.getFileName())).exists();
  }

  @Test
  void an_index_that_leads_astray_is_found_and_made_again() throws Exception {
    Path index = files(0, ".index").get(0);
    byte[] bytes = Files.readAllBytes(index);
    int entry = Binary.getInt(bytes, 32 + 20);
    Binary.putInt(bytes, entry + 16 + 8, Binary.getInt(bytes, entry + 16 + 8) + 1);
    Binary.putInt(bytes, bytes.length - 4, Checksum.crc32c(bytes, 0, bytes.length - 4));
    Files.write(index, bytes);
    assertThat(found(1)).containsExactly("INDEX_WRONG");
    requireRepaired();
  }

  @Test
  void a_file_that_was_cut_or_is_missing_is_found() throws Exception {
    Path segment = files(0, ".log").get(1);
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength(file.length() - 7);
    }
    assertThat(found(1)).contains("LOG_CUT");
    Files.delete(segment);
    assertThat(found(1)).contains("LOG_GAP", "CHANGES_MISSING");
    Files.writeString(files(1, ".log").get(0), "not a segment at all, but long enough to be one");
    assertThat(found(1)).contains("LOG_FOREIGN");
  }

  @Test
  void a_table_ahead_of_its_log_is_found_and_made_again() throws Exception {
    Path old = directory.resolve("old");
    TestDirectory.copy(data, old);
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      TestDirectory.write(tables, TestDirectory.CHANGES, TestDirectory.CHANGES + 600);
    }
    for (int shard = 0; shard < 2; shard++) {
      delete(log(shard));
      TestDirectory.copy(old.resolve("shard-" + shard + "/log"), log(shard));
    }
    assertThat(found(1)).containsOnly("TABLE_AHEAD");
    requireRepaired();
  }

  @Test
  void rows_that_are_missing_or_extra_or_different_are_found_and_made_again() throws Exception {
    change(
        "shard-1/table",
        db -> {
          List<byte[]> keys = new ArrayList<>();
          try (RocksIterator at = db.newIterator()) {
            for (at.seek(new byte[] {0, 0, 0, 1}); at.isValid() && keys.size() < 5; at.next()) {
              keys.add(at.key());
            }
          }
          byte[] value = db.get(keys.get(1));
          value[value.length - 1] ^= 1;
          db.put(keys.get(1), value);
          db.delete(keys.get(3));
          byte[] extra = keys.get(4).clone();
          extra[extra.length - 1] = (byte) 0xff;
          extra[extra.length - 2] = (byte) 0xff;
          db.put(extra, value);
        });
    assertThat(found(1)).containsExactlyInAnyOrder("ROWS_MISSING", "ROWS_EXTRA", "ROWS_DIFFERENT");
    assertThat(doctor("--quick")).isZero();
    assertThat(doctor()).isEqualTo(1);
    assertThat(out.toString())
        .contains("1 row of table orders")
        .containsPattern("first key \\(id=\\d+\\) of partition 1");
    requireRepaired();
    assertThat(data.resolve("aside-1/shard-1/table/CURRENT")).exists();
  }

  @Test
  void rows_that_cannot_be_read_are_found_and_made_again() throws Exception {
    Path largest;
    try (Stream<Path> files = Files.list(data.resolve("shard-0/table"))) {
      largest =
          files
              .filter(file -> file.toString().endsWith(".sst"))
              .max(Comparator.comparing(file -> file.toFile().length()))
              .orElseThrow();
    }
    flip(largest, 40);
    assertThat(found(1)).containsExactly("TABLE_DAMAGED");
    requireRepaired();
  }

  @Test
  void rows_that_are_not_there_are_a_note_while_the_log_is_whole() throws Exception {
    delete(data.resolve("shard-0/table"));
    assertThat(found(ExitCode.NOT_ALL_CHECKED)).containsExactly("TABLE_MISSING");
    requireRepaired();
  }

  @Test
  void rows_of_another_log_are_found() throws Exception {
    delete(data.resolve("shard-0/table"));
    TestDirectory.copy(data.resolve("shard-1/table"), data.resolve("shard-0/table"));
    assertThat(found(1)).containsAnyOf("TABLE_OF_ANOTHER_LOG", "TABLE_AHEAD");
    requireRepaired();
  }

  @Test
  void a_shard_that_is_not_there_is_found_and_no_server_starts() throws Exception {
    delete(data.resolve("shard-1"));
    assertThatThrownBy(() -> TestDirectory.server(data)).hasMessageContaining("shard-1 is missing");
    assertThat(found(1)).contains("SHARD_MISSING");
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void a_checkpoint_beyond_the_log_is_found() throws Exception {
    change(
        "catalog",
        db -> {
          try (RocksIterator at = db.newIterator()) {
            at.seek(text("checkpoint/"));
            db.put(at.key(), text("1000000"));
          }
        });
    assertThat(found(1)).containsExactly("CHECKPOINT_BEYOND");
    assertThat(doctor()).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "tunnel audit of table orders: its checkpoint in partition 1 is position 1000000");
  }

  @Test
  void a_catalog_that_is_older_than_the_log_is_found() throws Exception {
    change(
        "catalog",
        db -> {
          db.delete(text("table/1"));
          db.put(text("counters"), text("{\"tables\":0,\"partitions\":0,\"starts\":1}"));
        });
    assertThat(found(1))
        .contains("CATALOG_TOO_OLD", "TUNNEL_WITHOUT_TABLE")
        .doesNotContain("DROPPED_LEFT");
  }

  @Test
  void a_catalog_of_another_directory_is_found_and_nothing_is_folded_into_its_tables()
      throws Exception {
    Path other = directory.resolve("other");
    TestDirectory.fill(other);
    delete(data.resolve("catalog"));
    assertThatThrownBy(() -> TestDirectory.server(data))
        .hasMessageContaining("holds changes and rows but no catalog");
    TestDirectory.copy(other.resolve("catalog"), data.resolve("catalog"));
    delete(data.resolve("shard-0/table"));
    assertThatThrownBy(() -> TestDirectory.server(data))
        .hasMessageContaining("was written under another catalog");
    assertThat(found(1)).containsOnlyOnce("OF_ANOTHER_CATALOG");
    assertThat(out.toString()).contains("; so were ", " other files");
    assertThat(doctor("--repair")).isEqualTo(1);
    assertThat(out.toString()).contains("repair: nothing was done");
    assertThat(data.resolve("shard-0/table")).doesNotExist();
    delete(data.resolve("catalog"));
    TestDirectory.copy(template.resolve("data/catalog"), data.resolve("catalog"));
    requireRepaired();
  }

  @Test
  void what_a_dropped_table_left_is_a_note() throws Exception {
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      tables.dropTable("orders");
    }
    assertThat(found(0)).isNotEmpty().containsOnly("DROPPED_LEFT");
  }

  @Test
  void a_catalog_that_is_missing_or_makes_no_sense_is_found() throws Exception {
    change("catalog", db -> db.put(text("table/1"), text("{\"tableId\":")));
    assertThat(found(1)).contains("CATALOG_DAMAGED");
    delete(data.resolve("catalog"));
    assertThat(found(1)).contains("CATALOG_MISSING");
    assertThat(doctor("--repair")).isEqualTo(1);
  }

  @Test
  void a_key_that_no_partition_holds_is_found() throws Exception {
    change(
        "catalog",
        db -> {
          String table = new String(db.get(text("table/1")), StandardCharsets.UTF_8);
          JsonObject record = JsonParser.parseString(table).getAsJsonObject();
          record.getAsJsonArray("partitions").remove(2);
          db.put(text("table/1"), text(record.toString()));
        });
    assertThat(found(1)).contains("CATALOG_INCONSISTENT");
  }
}
