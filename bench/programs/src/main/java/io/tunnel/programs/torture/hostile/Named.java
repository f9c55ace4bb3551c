package io.tunnel.programs.torture.hostile;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;

/**
 * All names by which requests ask for things. Those of {@link #absent} name nothing.
 *
 * @param table a table of {@link #meta}
 * @param tunnel a tunnel of the table
 * @param partition a partition of the table
 * @param sessionId a session of the tunnel
 * @param handle the name that the session has for a channel
 * @param principal who has keys, tokens, permissions and quotas
 */
public record Named(
    String table,
    String tunnel,
    int tableId,
    int partition,
    String tunnelId,
    String sessionId,
    int handle,
    long epoch,
    String keyId,
    String tokenId,
    String principal) {

  /** Ids that no server has given yet. */
  private static final int ABSENT_ID = 1_900_000_000;

  /** Things that do not exist. */
  public static Named absent() {
    return new Named(
        "missing_table",
        "missing_tunnel",
        ABSENT_ID,
        ABSENT_ID - 1,
        "missing-id",
        "9-999999999",
        ABSENT_ID,
        ABSENT_ID - 2,
        "tkabsent",
        "ttabsent",
        "missing_principal");
  }

  /** The table, with a key of one INTEGER. */
  public TableMeta meta() {
    return meta(table);
  }

  static TableMeta meta(String table) {
    return new TableMeta(
        table,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        new TableOptions(Durability.OS));
  }

  /** The stream of the partition. */
  public String channelId() {
    return partition + "_" + tunnelId;
  }
}
