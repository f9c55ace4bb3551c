package io.tunnel.server.security.files;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A security directory: certificates, {@code master.key}, and {@code keys.json} with the keys of
 * administrators, who can log in before the catalog is read. The certificates and {@code keys.json}
 * are read again when they change; an unusable file is logged and changes nothing. The master key
 * is read once, because all stored secrets are sealed with it.
 */
public final class SecurityDirectory implements Gate.Administrators {

  /** The environment variable that replaces {@code master.key}. */
  public static final String MASTER_KEY_VARIABLE = "TUNNEL_MASTER_KEY";

  private static final Logger LOGGER = LoggerFactory.getLogger(SecurityDirectory.class);

  private final Path keysFile;
  private final Tls tls;
  private final MasterKey master;
  private String keysMark;
  private volatile Contents kept;

  /**
   * A key in {@code keys.json}.
   *
   * @param sealed secrets, sealed with the master key for this id; the newest first
   * @param created milliseconds since 1970
   */
  record StoredKey(String id, String principal, List<String> sealed, long created) {
    StoredKey {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(principal, "principal");
      sealed = List.copyOf(Objects.requireNonNull(sealed, "sealed"));
    }

    AccessKey key() {
      return new AccessKey(id, Principal.ofKey(principal), sealed, created, false);
    }
  }

  /** The complete file. */
  record StoredKeys(List<StoredKey> keys) {
    StoredKeys {
      keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
    }
  }

  private record Contents(Map<String, AccessKey> keys, Set<Principal> administrators) {
    Contents(Map<String, AccessKey> keys) {
      this(
          keys,
          keys.values().stream().map(AccessKey::principal).collect(Collectors.toUnmodifiableSet()));
    }
  }

  /**
   * Reads the directory.
   *
   * @param environment gives variables by name, null for one that is not set
   * @param chance makes that number of unpredictable bytes
   * @param epochMs milliseconds since 1970, now
   * @throws IOException when a file is missing or invalid; the message says what would be right
   */
  public SecurityDirectory(
      Path directory,
      Function<String, String> environment,
      IntFunction<Bytes> chance,
      LongSupplier epochMs)
      throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(
          "there is no security directory "
              + directory
              + "; make one with 'tunnel security init --dir "
              + directory
              + "'");
    }
    tls = new Tls(directory, epochMs);
    master = master(directory.resolve("master.key"), environment, chance);
    keysFile = directory.resolve("keys.json");
    keysMark = SmallFile.mark(keysFile);
    kept = read(keysFile, master);
  }

  private static MasterKey master(
      Path file, Function<String, String> environment, IntFunction<Bytes> chance)
      throws IOException {
    Optional<String> variable = Optional.ofNullable(environment.apply(MASTER_KEY_VARIABLE));
    Optional<String> text = variable.isPresent() ? variable : SmallFile.text(file);
    if (text.isPresent() && variable.isEmpty()) {
      SmallFile.requireHidden(file);
    }
    if (text.isEmpty()) {
      throw new IOException(
          "there is no master key: neither the file "
              + file
              + " nor the variable "
              + MASTER_KEY_VARIABLE
              + "; give the server the one that its catalog's secrets are sealed with, or make a"
              + " security directory with 'tunnel security init --dir DIR'");
    }
    try {
      return MasterKey.parse(text.get(), chance);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          (variable.isPresent() ? "the variable " + MASTER_KEY_VARIABLE : file.toString())
              + " holds no master key: "
              + e.getMessage(),
          e);
    }
  }

  private static Contents read(Path file, MasterKey master) throws IOException {
    Optional<String> text = SmallFile.text(file);
    if (text.isEmpty()) {
      return new Contents(Map.of());
    }
    try {
      StoredKeys stored = Json.ofText("{\"keys\":" + text.get() + "}", StoredKeys.class);
      Map<String, AccessKey> keys =
          stored.keys().stream()
              .map(StoredKey::key)
              .collect(Collectors.toUnmodifiableMap(AccessKey::id, key -> key));
      for (AccessKey key : keys.values()) {
        requireOpening(key, master);
      }
      return new Contents(keys);
    } catch (MalformedException
        | IllegalArgumentException
        | IllegalStateException
        | MasterKey.SealException e) {
      throw new IOException(
          file
              + " is no list of keys that are of use: "
              + e.getMessage()
              + "; see docs/operate/security.md",
          e);
    }
  }

  /**
   * Refuses a master key that does not open the administrators' secrets: with it no administrator
   * could log in to notice.
   */
  private static void requireOpening(AccessKey key, MasterKey master)
      throws MasterKey.SealException {
    for (String sealed : key.sealedSecrets()) {
      var unused = master.open(sealed, key.id());
    }
  }

  /** Reads changed files again. For one thread. */
  public void look() {
    tls.look();
    String mark = SmallFile.mark(keysFile);
    if (!mark.equals(keysMark)) {
      keysMark = mark;
      try {
        kept = read(keysFile, master);
        LOGGER.info("{} was read again: {} keys", keysFile, kept.keys().size());
      } catch (IOException e) {
        LOGGER.error("{}; the server keeps its current keys", e.getMessage());
      }
    }
  }

  /** TLS with the directory's certificates. */
  public Tls tls() {
    return tls;
  }

  /** The key that seals secrets. */
  public MasterKey master() {
    return master;
  }

  @Override
  public Optional<AccessKey> key(String id) {
    return Optional.ofNullable(kept.keys().get(id));
  }

  @Override
  public Set<Principal> principals() {
    return kept.administrators();
  }
}
