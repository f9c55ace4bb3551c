package io.tunnel.server.net.access;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * A closed gate over a catalog in memory, with the administrator of {@link TestSecurity}, a clock
 * that a test moves, and chance that follows from a seed.
 */
public final class TestGate implements Gate.Administrators {

  /** What the catalog keeps. */
  public final MemoryCatalogStore store = new MemoryCatalogStore();

  /** With the keys and rights that are asked. */
  public final Catalog catalog;

  /** By id; a test changes them. */
  public final Map<String, AccessKey> administrators = new HashMap<>();

  /** The clock that never goes back. */
  public final AtomicLong nanos = new AtomicLong(1_000_000);

  /** Milliseconds since 1970. */
  public final AtomicLong epochMs = new AtomicLong(5_000);

  /** Why the catalog is too old to decide by, if it is. */
  public Optional<RefusedException> doubt = Optional.empty();

  /** Who is let in. */
  public final Gate gate;

  /** What administrators do. */
  public final Administration administration;

  /** A gate of nobody but the administrator. */
  public TestGate() throws IOException {
    catalog = new Catalog(store);
    AccessKey admin = TestSecurity.adminKey();
    administrators.put(admin.id(), admin);
    gate =
        Gate.closed(
            new Gate.Guard(
                TestSecurity.master(),
                this,
                catalog.security()::snapshot,
                TestSecurity.chance(3),
                nanos::get,
                epochMs::get),
            () ->
                doubt.ifPresent(
                    reason -> {
                      throw reason;
                    }));
    administration = new Administration(catalog, gate, epochMs::get);
  }

  @Override
  public Optional<AccessKey> key(String id) {
    return Optional.ofNullable(administrators.get(id));
  }

  @Override
  public Set<Principal> principals() {
    return administrators.values().stream().map(AccessKey::principal).collect(Collectors.toSet());
  }

  /** A key for a principal. */
  public KeySecret create(String principal) throws IOException {
    return (KeySecret)
        administration.createKey(Json.encode(new CreateKey(principal)), caller("admin"));
  }

  /** Another secret of a key. */
  public KeySecret rotate(String id) throws IOException {
    return (KeySecret)
        administration.rotateKey(Json.encode(new RotateKey(id, false)), caller("admin"));
  }

  /** The end of its older secret. */
  public void finish(String id) throws IOException {
    answered(administration.rotateKey(Json.encode(new RotateKey(id, true)), caller("admin")));
  }

  /** The end of a key. */
  public void revoke(String id) throws IOException {
    answered(administration.revokeKey(Json.encode(new SecurityId(id)), caller("admin")));
  }

  /** Allows rights. */
  public void allow(String subject, String resource, String... rights) throws IOException {
    answered(
        administration.grant(
            Json.encode(new PermissionInfo(subject, true, List.of(rights), resource)),
            caller("admin")));
  }

  /** Denies rights. */
  public void deny(String subject, String resource, String... rights) throws IOException {
    answered(
        administration.grant(
            Json.encode(new PermissionInfo(subject, false, List.of(rights), resource)),
            caller("admin")));
  }

  /** Takes back what was allowed. */
  public void withdraw(String subject, String resource, String... rights) throws IOException {
    answered(
        administration.withdraw(
            Json.encode(new PermissionInfo(subject, true, List.of(rights), resource)),
            caller("admin")));
  }

  /** Each request is answered, if only with an empty object. */
  static void answered(Control answer) {
    if (answer == null) {
      throw new AssertionError("a request was not answered");
    }
  }

  /** Somebody of whom a certificate says it. */
  public Caller caller(String principal) {
    return gate.caller(new Principal(principal), Optional.empty());
  }

  /** Takes all rights and keys away. */
  public void clear() throws IOException {
    Map<String, Optional<String>> nothing = new HashMap<>();
    store.all().keySet().stream()
        .filter(name -> name.startsWith(SecurityRecords.PREFIX))
        .forEach(name -> nothing.put(name, Optional.empty()));
    if (!nothing.isEmpty()) {
      catalog.changeSecurity(nothing);
    }
  }

  /** A nonce, or the binding to a certificate, of that byte alone. */
  public static Bytes bytes(int each) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) each);
    return Bytes.copyOf(bytes);
  }
}
