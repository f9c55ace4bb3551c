package io.tunnel.wire;

import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.SecurityControl;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Payloads about keys, permissions, groups, tokens and quotas. */
final class SecuritySamples {

  private static final SecurityControl.KeyInfo KEY =
      new SecurityControl.KeyInfo("tk0", "ada", 2, 1_790_000_000_000L);

  private static final SecurityControl.PermissionInfo PERMISSION =
      new SecurityControl.PermissionInfo(
          "group:readers", true, List.of("consume", "read"), "table:orders*");

  private static final SecurityControl.TokenInfo TOKEN =
      new SecurityControl.TokenInfo("tt0", "ada", 1_790_000_000_000L, Optional.of(9L));

  private static final SecurityControl.GroupInfo GROUP =
      new SecurityControl.GroupInfo("readers", List.of("ada"));

  private static final SecurityControl.QuotaLimit LIMIT =
      new SecurityControl.QuotaLimit("requestsPerSecond", 100);

  private static final SecurityControl.QuotaInfo QUOTA =
      new SecurityControl.QuotaInfo("ada", List.of(LIMIT));

  private SecuritySamples() {}

  /** At least one of every kind. */
  static Stream<Control> all() {
    return Stream.of(
        new SecurityControl.Identity(
            Optional.of("ada"), List.of("readers"), List.of(PERMISSION), false),
        new SecurityControl.Identity(Optional.empty(), List.of(), List.of(), true),
        new SecurityControl.CreateKey("ada"),
        new SecurityControl.SecurityId("tk0"),
        new SecurityControl.RotateKey("tk0", true),
        KEY,
        new SecurityControl.KeySecret(KEY, "a secret"),
        new SecurityControl.KeyList(List.of(KEY)),
        PERMISSION,
        new SecurityControl.PermissionQuery(Optional.of("ada")),
        new SecurityControl.PermissionQuery(Optional.empty()),
        new SecurityControl.PermissionList(List.of(PERMISSION), true),
        new SecurityControl.ChangeGroup("readers", List.of("ada"), List.of("bob")),
        GROUP,
        new SecurityControl.GroupList(List.of(GROUP)),
        new SecurityControl.CreateToken("ada", Optional.of(9L)),
        TOKEN,
        new SecurityControl.TokenSecret(TOKEN, "a token"),
        new SecurityControl.TokenList(List.of(TOKEN)),
        LIMIT,
        QUOTA,
        new SecurityControl.QuotaList(List.of(QUOTA)),
        new SecurityControl.QuotaChange("ada", List.of(LIMIT), List.of("sessions")));
  }
}
