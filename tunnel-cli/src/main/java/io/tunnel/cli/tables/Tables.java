package io.tunnel.cli.tables;

import io.tunnel.cli.service.Service;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;
import java.util.Optional;

/** The tables of a server. Every method may throw {@link io.tunnel.model.RefusedException}. */
public interface Tables extends Service {

  List<String> list();

  TableInfo describe(String table);

  /** Without figures. */
  TableInfo alter(String table, TableOptions options);

  void drop(String table);

  Optional<Row> get(String table, PrimaryKey key, ReadMode mode);

  /** The rows of a range, fetched while they are iterated. */
  Iterable<Row> scan(String table, RangeQuery query);
}
