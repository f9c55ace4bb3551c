package io.tunnel.flink.table;

import io.tunnel.flink.table.row.ColumnSample;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.factories.Factory;

/**
 * The tables of the service, in one database. The service knows only the key columns of a table;
 * the catalog finds further columns in a sample of rows, see {@link ColumnSample}.
 */
public final class TunnelCatalog extends ReadOnlyCatalog {

  /** The one database. */
  public static final String DATABASE = "default";

  private final ClientConfig service;
  private final int sampleRowsMax;
  private TableClient client;

  TunnelCatalog(String name, ClientConfig service, int sampleRowsMax) {
    super(name, DATABASE);
    this.service = service;
    this.sampleRowsMax = sampleRowsMax;
  }

  @Override
  public void open() {
    if (client == null) {
      try {
        client = TableClient.connect(service);
      } catch (ConnectionException | RefusedException e) {
        throw failure("cannot be opened", e);
      }
    }
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  private CatalogException failure(String what, RuntimeException cause) {
    return new CatalogException(
        "catalog '"
            + getName()
            + "' at "
            + service.endpoint()
            + " "
            + what
            + ": "
            + cause.getMessage(),
        cause);
  }

  private <T> T ask(Function<TableClient, T> question) {
    if (client == null) {
      throw new CatalogException("catalog '" + getName() + "' is not open");
    }
    try {
      return question.apply(client);
    } catch (ConnectionException | RefusedException e) {
      throw failure("does not answer", e);
    }
  }

  @Override
  public Optional<Factory> getFactory() {
    return Optional.of(new TunnelTableFactory());
  }

  @Override
  public List<String> listDatabases() {
    return List.of(DATABASE);
  }

  @Override
  public boolean databaseExists(String database) {
    return DATABASE.equals(database);
  }

  @Override
  public CatalogDatabase getDatabase(String database) throws DatabaseNotExistException {
    requireDatabase(database);
    return new CatalogDatabaseImpl(Map.of(), "the tables at " + service.endpoint());
  }

  private void requireDatabase(String database) throws DatabaseNotExistException {
    if (!databaseExists(database)) {
      throw new DatabaseNotExistException(getName(), database);
    }
  }

  @Override
  public List<String> listTables(String database) throws DatabaseNotExistException {
    requireDatabase(database);
    return ask(TableClient::listTables);
  }

  @Override
  public boolean tableExists(ObjectPath path) {
    return databaseExists(path.getDatabaseName())
        && ask(TableClient::listTables).contains(path.getObjectName());
  }

  @Override
  public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
    if (!databaseExists(path.getDatabaseName())) {
      throw new TableNotExistException(getName(), path);
    }
    Optional<Schema> schema = ask(open -> schema(open, path.getObjectName()));
    return CatalogTable.newBuilder()
        .schema(schema.orElseThrow(() -> new TableNotExistException(getName(), path)))
        .options(
            Map.of(
                "connector",
                TunnelTableFactory.IDENTIFIER,
                TunnelConnectorOptions.ENDPOINT.key(),
                service.endpoint(),
                TunnelConnectorOptions.TABLE.key(),
                path.getObjectName()))
        .build();
  }

  /** Empty when the table does not exist. */
  private Optional<Schema> schema(TableClient open, String table) {
    try {
      List<PrimaryKeySchema> key = open.primaryKeyOf(table);
      Schema.Builder schema = Schema.newBuilder();
      for (PrimaryKeySchema column : key) {
        schema.column(
            column.name(),
            switch (column.type()) {
              case INTEGER -> DataTypes.BIGINT().notNull();
              case STRING -> DataTypes.STRING().notNull();
              case BINARY -> DataTypes.BYTES().notNull();
            });
      }
      ColumnSample.of(open, table, sampleRowsMax)
          .columns()
          .forEach((name, kind) -> schema.column(name, kind.dataType()));
      schema.primaryKey(key.stream().map(PrimaryKeySchema::name).toList());
      return Optional.of(schema.build());
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
