package io.tunnel.it.hostile;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.PermissionQuery;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A valid payload of each operation about who may come and what they may do. */
final class SecurityPayloads {

  private static final String PRINCIPAL = "mallory";

  private SecurityPayloads() {}

  static Map<Operation, byte[]> valid() {
    Map<Operation, byte[]> payloads = new EnumMap<>(Operation.class);
    Bytes nonce = Bytes.copyOf(new byte[Authentication.NONCE_BYTES]);
    payloads.put(Operation.AUTHENTICATE, new Authentication.Begin("tk0", nonce).encode());
    payloads.put(Operation.WHO_AM_I, new byte[0]);
    payloads.put(Operation.CREATE_KEY, Json.encode(new CreateKey(PRINCIPAL)));
    payloads.put(Operation.LIST_KEYS, new byte[0]);
    payloads.put(Operation.REVOKE_KEY, Json.encode(new SecurityId("tk0")));
    payloads.put(Operation.ROTATE_KEY, Json.encode(new RotateKey("tk0", false)));
    PermissionInfo permission =
        new PermissionInfo(PRINCIPAL, true, List.of("read", "write"), "table:victim*");
    payloads.put(Operation.GRANT, Json.encode(permission));
    payloads.put(Operation.WITHDRAW, Json.encode(permission));
    payloads.put(
        Operation.LIST_PERMISSIONS, Json.encode(new PermissionQuery(Optional.of(PRINCIPAL))));
    payloads.put(
        Operation.CHANGE_GROUP,
        Json.encode(new ChangeGroup("strangers", List.of(PRINCIPAL), List.of("eve"))));
    payloads.put(Operation.LIST_GROUPS, new byte[0]);
    payloads.put(
        Operation.CREATE_TOKEN,
        Json.encode(new CreateToken(PRINCIPAL, Optional.of(1_790_000_000_000L))));
    payloads.put(Operation.LIST_TOKENS, new byte[0]);
    payloads.put(Operation.REVOKE_TOKEN, Json.encode(new SecurityId("tt0")));
    payloads.put(
        Operation.SET_QUOTA,
        Json.encode(new QuotaInfo(PRINCIPAL, List.of(new QuotaLimit("requestsPerSecond", 100)))));
    payloads.put(Operation.LIST_QUOTAS, new byte[0]);
    return payloads;
  }
}
