package io.tunnel.server.config;

import com.google.gson.FormattingStyle;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.tunnel.server.catalog.CatalogConfig;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.console.ConsoleConfig;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The settings of a server; each part documents its own fields. A configuration file is a JSON
 * object of this shape with the settings that differ from the defaults.
 *
 * @param net where it listens
 * @param log how changes are stored
 * @param shard limits of the threads that write
 * @param table how rows are stored
 * @param session limits of sessions
 * @param base how long the snapshots of rows for new tunnels are kept
 * @param catalog limits of tables and tunnels
 * @param security whether clients must authenticate
 * @param audit what the audit log records
 * @param catchUp how channels that lag far are throttled while others write
 * @param console whether the HTTP port serves the console
 */
public record ServerConfig(
    NetConfig net,
    LogConfig log,
    ShardConfig shard,
    TableStoreConfig table,
    SessionConfig session,
    BaseConfig base,
    CatalogConfig catalog,
    SecurityConfig security,
    AuditTrail.Settings audit,
    RationConfig catchUp,
    ConsoleConfig console) {

  /** Refuses null, which a file may contain. */
  public ServerConfig {
    Objects.requireNonNull(net, "net is an object, not null");
    Objects.requireNonNull(log, "log is an object, not null");
    Objects.requireNonNull(shard, "shard is an object, not null");
    Objects.requireNonNull(table, "table is an object, not null");
    Objects.requireNonNull(session, "session is an object, not null");
    Objects.requireNonNull(base, "base is an object, not null");
    Objects.requireNonNull(catalog, "catalog is an object, not null");
    Objects.requireNonNull(security, "security is an object, not null");
    Objects.requireNonNull(audit, "audit is an object, not null");
    Objects.requireNonNull(catchUp, "catchUp is an object, not null");
    Objects.requireNonNull(console, "console is an object, not null");
  }

  /** A server without authentication. */
  public ServerConfig(
      NetConfig net,
      LogConfig log,
      ShardConfig shard,
      TableStoreConfig table,
      SessionConfig session,
      BaseConfig base,
      CatalogConfig catalog) {
    this(
        net,
        log,
        shard,
        table,
        session,
        base,
        catalog,
        SecurityConfig.NONE,
        AuditTrail.Settings.DEFAULT,
        RationConfig.DEFAULT,
        ConsoleConfig.DEFAULT);
  }

  /** With the default limits of a catalog. */
  public ServerConfig(
      NetConfig net,
      LogConfig log,
      ShardConfig shard,
      TableStoreConfig table,
      SessionConfig session,
      BaseConfig base) {
    this(net, log, shard, table, session, base, CatalogConfig.DEFAULT);
  }

  private static final Gson GSON =
      new GsonBuilder().setFormattingStyle(FormattingStyle.COMPACT).create();

  /**
   * How changes are stored.
   *
   * @param shards logs, each with a thread of its own; fixed when a data directory is first used
   * @param segmentBytesMax bytes after which a new file is begun
   * @param openFilesMax open files of all shards
   * @param retentionCheckMs how often retention runs
   * @param kafka on a node of a cluster: timeouts of the shared log
   * @param replicas on a node of a cluster: limits of its replicas of partitions
   */
  public record LogConfig(
      int shards,
      int segmentBytesMax,
      int openFilesMax,
      long retentionCheckMs,
      KafkaConfig.Times kafka,
      ReplicaConfig replicas) {
    private static final int SHARDS_MAX = 64;
    private static final int SEGMENT_BYTES_MIN = 1 << 16;
    private static final int SEGMENT_BYTES_MAX = 1 << 30;
    private static final int OPEN_FILES_MIN = 16;
    private static final int OPEN_FILES_MAX = 1_000_000;
    private static final int OPEN_FILES_DEFAULT = 1_024;
    private static final int RETENTION_CHECK_MS_MIN = 100;
    private static final int RETENTION_CHECK_MS_MAX = 3_600_000;

    /** Refuses counts and sizes that cannot work. */
    public LogConfig {
      if (shards < 1 || shards > SHARDS_MAX) {
        throw new IllegalArgumentException("log.shards is 1 to " + SHARDS_MAX + ", not " + shards);
      }
      if (segmentBytesMax < SEGMENT_BYTES_MIN || segmentBytesMax > SEGMENT_BYTES_MAX) {
        throw new IllegalArgumentException(
            "log.segmentBytesMax is 65536 (64 KiB) to 1073741824 (1 GiB), not " + segmentBytesMax);
      }
      if (openFilesMax < OPEN_FILES_MIN || openFilesMax > OPEN_FILES_MAX) {
        throw new IllegalArgumentException(
            "log.openFilesMax is 16 to 1000000, not " + openFilesMax);
      }
      if (retentionCheckMs < RETENTION_CHECK_MS_MIN || retentionCheckMs > RETENTION_CHECK_MS_MAX) {
        throw new IllegalArgumentException(
            "log.retentionCheckMs is 100 to 3600000 (an hour), not " + retentionCheckMs);
      }
      Objects.requireNonNull(kafka, "log.kafka is an object, not null");
      Objects.requireNonNull(replicas, "log.replicas is an object, not null");
    }

    /** A log with the defaults of a cluster. */
    public LogConfig(int shards, int segmentBytesMax, long retentionCheckMs) {
      this(
          shards,
          segmentBytesMax,
          OPEN_FILES_DEFAULT,
          retentionCheckMs,
          KafkaConfig.Times.DEFAULT,
          ReplicaConfig.DEFAULT);
    }
  }

  /**
   * How long snapshots of rows for new tunnels are kept.
   *
   * @param snapshotMsMax age at which a snapshot is dropped, so that RocksDB can free overwritten
   *     rows; base channels then read the current rows
   */
  public record BaseConfig(long snapshotMsMax) {
    private static final long SNAPSHOT_MS_MAX = 7L * 24 * 60 * 60 * 1000;

    /** Refuses ages that cannot work. */
    public BaseConfig {
      if (snapshotMsMax < 1 || snapshotMsMax > SNAPSHOT_MS_MAX) {
        throw new IllegalArgumentException(
            "base.snapshotMsMax is 1 to 604800000 (a week), not " + snapshotMsMax);
      }
    }
  }

  /**
   * Whether clients must authenticate.
   *
   * @param directory the security directory with the server's certificates and keys; empty for a
   *     server without authentication, which listens on this machine only
   */
  public record SecurityConfig(String directory) {

    /** Without authentication. */
    public static final SecurityConfig NONE = new SecurityConfig("");

    /** Refuses null. */
    public SecurityConfig {
      if (directory == null) {
        throw new IllegalArgumentException("security.directory is text in quotes, not null");
      }
    }

    /** Whether clients must authenticate. */
    public boolean isClosed() {
      return !directory.isEmpty();
    }
  }

  /** The defaults for a machine with {@code cores} cores. */
  public static ServerConfig defaults(int cores) {
    return new ServerConfig(
        new NetConfig(
            "127.0.0.1",
            Protocol.PORT_DEFAULT,
            7651,
            Math.max(1, Math.min(cores, 16)),
            10_000,
            false),
        new LogConfig(Math.max(1, Math.min(cores / 2, 64)), 256 << 20, 1_000),
        new ShardConfig(1 << 20, 128 << 10, 64L << 20),
        new TableStoreConfig(64L << 20, 64L << 20, Math.max(2, cores / 2)),
        new SessionConfig(5_000, 256 << 10),
        new BaseConfig(60 * 60 * 1000));
  }

  /** This configuration with a different address. */
  public ServerConfig withNet(NetConfig other) {
    return new ServerConfig(
        other, log, shard, table, session, base, catalog, security, audit, catchUp, console);
  }

  /** This configuration with a different security directory, or without one. */
  public ServerConfig withSecurity(SecurityConfig other) {
    return new ServerConfig(
        net, log, shard, table, session, base, catalog, other, audit, catchUp, console);
  }

  /** This configuration with a different audit log. */
  public ServerConfig withAudit(AuditTrail.Settings other) {
    return new ServerConfig(
        net, log, shard, table, session, base, catalog, security, other, catchUp, console);
  }

  /**
   * This configuration, changed by the settings in {@code file}.
   *
   * @throws IllegalArgumentException when a setting is unknown, of the wrong type, or out of range
   */
  public ServerConfig withFile(Path file) throws IOException {
    JsonObject merged = GSON.toJsonTree(this).getAsJsonObject();
    SettingsFile.mergeInto(merged, ServerConfig.class, file);
    try {
      return GSON.fromJson(merged, ServerConfig.class);
    } catch (RuntimeException e) {
      // Gson wraps exceptions of a record's constructor in a plain RuntimeException.
      String reason = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
      throw new IllegalArgumentException(file + ": " + reason, e);
    }
  }

  /** One line of JSON. */
  @Override
  public String toString() {
    return GSON.toJson(this);
  }
}
