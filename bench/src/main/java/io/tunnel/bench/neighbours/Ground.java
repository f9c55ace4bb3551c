package io.tunnel.bench.neighbours;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.cli.security.directory.InitCommand;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A closed server with two principals: the measured principal, and its neighbour. */
record Ground(
    Children children, TunnelServerChild server, Path security, LoadClock clock, PrintWriter out) {

  static final String MEASURED = "measured";
  static final String NEIGHBOUR = "neighbour";
  static final String MEASURED_TABLE = "measured";
  static final String LARGE_TABLE = "neighbour_large";
  static final long LARGE_TABLE_ROWS = 2_000_000;
  static final List<String> SMALL_TABLES =
      IntStream.range(0, 20).mapToObj(i -> "neighbour_small" + i).toList();

  private static final Gson GSON = new Gson();
  private static final String KEY = "id";
  private static final String ADMIN = "admin.json";
  private static final ColumnValue VALUE = ColumnValue.fromString("v".repeat(80));
  private static final int BATCH_ROWS = 5_000;

  /** Starts the server, and makes what both principals need. */
  static Ground make(Children children, LoadClock clock, PrintWriter out) throws IOException {
    Path security = children.directory().resolve("security");
    int exit =
        new CommandLine(new InitCommand())
            .setOut(new PrintWriter(Writer.nullWriter()))
            .execute("--dir", security.toString());
    if (exit != 0) {
      throw new IOException("no security directory could be made in " + security);
    }
    TunnelServerChild server =
        TunnelServerChild.start(children, clock, List.of("--security", security.toString()));
    Ground ground = new Ground(children, server, security, clock, out);
    ground.prepare();
    return ground;
  }

  private void prepare() throws IOException {
    try (TableClient tables = TableClient.connect(endpoint(ADMIN));
        SecurityClient security = new SecurityClient(endpoint(ADMIN))) {
      List<String> ofNeighbour =
          Stream.concat(Stream.of(LARGE_TABLE), SMALL_TABLES.stream()).toList();
      admit(tables, security, MEASURED, List.of(MEASURED_TABLE));
      admit(tables, security, NEIGHBOUR, ofNeighbour);
      for (long from = 0; from < LARGE_TABLE_ROWS; from += BATCH_ROWS) {
        var unused = tables.write(LARGE_TABLE, rows(from, BATCH_ROWS));
      }
    }
  }

  /** A key, a profile with it, tables, and rights on them and their tunnels. */
  private void admit(TableClient maker, SecurityClient admin, String principal, List<String> tables)
      throws IOException {
    IssuedKey issued = admin.createKey(principal);
    for (String table : tables) {
      var unused = maker.createTable(meta(table), List.of());
      admin.grant(Permission.allow(principal, List.of("read", "write"), "table:" + table));
      admin.grant(
          Permission.allow(
              principal, List.of("consume", "create", "drop"), "tunnel:" + table + "/*"));
    }
    JsonObject profile = GSON.fromJson(Files.readString(security.resolve(ADMIN)), JsonObject.class);
    JsonObject key = profile.getAsJsonObject("key");
    key.addProperty("id", issued.key().id());
    key.addProperty("secret", new String(issued.secret().utf8(), StandardCharsets.UTF_8));
    // Beside the administrator's, whose permissions it has: nobody else may read it.
    Path file =
        Files.copy(
            security.resolve(ADMIN),
            security.resolve(principal + ".json"),
            StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(file, GSON.toJson(profile));
  }

  private static TableMeta meta(String table) {
    return new TableMeta(
        table,
        List.of(new PrimaryKeySchema(KEY, PrimaryKeyType.INTEGER)),
        new TableOptions(Durability.OS));
  }

  /** How a principal reaches the server. */
  String endpointOf(String principal) {
    return endpoint(principal + ".json");
  }

  private String endpoint(String profile) {
    return "profile:" + security.resolve(profile) + "@" + server.endpoint();
  }

  static PrimaryKey key(long id) {
    return PrimaryKey.builder().add(KEY, id).build();
  }

  /** So many rows from that id on. */
  static List<RowChange> rows(long from, int count) {
    return LongStream.range(from, from + count)
        .<RowChange>mapToObj(id -> new RowPutChange(key(id), List.of(new Column("v", VALUE))))
        .toList();
  }
}
