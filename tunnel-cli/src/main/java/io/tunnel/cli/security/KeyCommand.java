package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.cli.security.directory.ProfileWriter;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.KeyDetails;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandGroup;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes, lists, rotates and revokes keys. */
@Command(
    name = "key",
    mixinStandardHelpOptions = true,
    description = "Make, list, rotate and revoke the keys by which clients say who they are.",
    subcommands = {
      KeyCommand.Create.class,
      KeyCommand.ListKeys.class,
      KeyCommand.Rotate.class,
      KeyCommand.RevokeKey.class
    })
final class KeyCommand extends CommandGroup {

  /** For picocli. */
  KeyCommand() {}

  /** What is said of a secret that will never be said again. */
  abstract static class Issue extends SecurityAction {

    @Option(
        names = "--out",
        paramLabel = "FILE",
        description =
            "Write a profile with the key for --profile FILE, readable by you alone, instead of"
                + " printing the secret.")
    private Path out;

    /** Asks for a secret when it has a place: the server says it once. */
    final void issue(Supplier<IssuedKey> request, ClientConfig config, String what)
        throws IOException {
      if (out == null) {
        printSecret(request.get(), what);
        return;
      }
      ProfileWriter profile = ProfileWriter.create(out, config);
      IssuedKey issued = ask(request, profile);
      try {
        profile.write(issued);
      } catch (IOException e) {
        printSecret(issued, what);
        throw CommandFailure.io(
            "there is no profile, and the secret was printed instead: " + Diagnosis.ofFile(e));
      }
      print(
          () -> {
            JsonObject json = SecurityJson.key(issued.key());
            json.addProperty("profile", out.toString());
            return json;
          },
          () -> List.of(first(issued, what) + ", in the profile " + out));
    }

    /** Refuses {@code --out} beside an option by which no secret is issued. */
    final void requireNoProfile(String option) {
      if (out != null) {
        throw CommandFailure.usage(option + " issues no secret, so leave --out out");
      }
    }

    private static IssuedKey ask(Supplier<IssuedKey> request, ProfileWriter profile) {
      try {
        return request.get();
      } catch (RuntimeException | Error e) {
        profile.discard(e);
        throw e;
      }
    }

    private void printSecret(IssuedKey issued, String what) {
      String secret = new String(issued.secret().utf8(), StandardCharsets.UTF_8);
      print(
          () -> {
            JsonObject json = SecurityJson.key(issued.key());
            json.addProperty("secret", secret);
            return json;
          },
          () -> List.of(first(issued, what), "secret " + secret, "it is not shown again"));
    }

    private static String first(IssuedKey issued, String what) {
      return what + " " + issued.key().id() + " of " + issued.key().principal();
    }
  }

  /** Makes a key. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = "Make a key for a principal, who has no rights until some are granted.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  tunnel security key create billing --out billing.json",
        "  tunnel tail --table orders --profile ./billing.json"
      })
  static final class Create extends Issue {

    @Parameters(paramLabel = "PRINCIPAL", description = "A name of A-Z a-z 0-9 _ . @ -")
    private String principal;

    /** For picocli. */
    Create() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) throws Exception {
      issue(() -> client.createKey(principal), config, "made key");
    }
  }

  /** Lists keys. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the keys, without their secrets.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security key list")
  static final class ListKeys extends SecurityAction {

    /** For picocli. */
    ListKeys() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      List<KeyDetails> keys = client.keys();
      print(
          () -> SecurityJson.list("keys", keys, SecurityJson::key),
          () -> SecurityReport.keys(keys));
    }
  }

  /** Gives a key another secret. */
  @Command(
      name = "rotate",
      mixinStandardHelpOptions = true,
      description = {
        "Give a key another secret. The former one is good too until --finish, so that clients can"
            + " change one after the other."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  tunnel security key rotate tk2f6zq1ab77fgh5mn --out billing.json",
        "  tunnel security key rotate tk2f6zq1ab77fgh5mn --finish"
      })
  static final class Rotate extends Issue {

    @Parameters(paramLabel = "KEY", description = "The key's id.")
    private String id;

    @Option(names = "--finish", description = "End the former secret.")
    private boolean isFinished;

    /** For picocli. */
    Rotate() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) throws Exception {
      if (isFinished) {
        requireNoProfile("--finish");
        client.finishRotation(id);
        done("finished", id, "key " + id + " has its newest secret alone");
      } else {
        issue(() -> client.rotateKey(id), config, "rotated key");
      }
    }
  }

  /** Ends a key. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description =
          "End a key; the connections that came with it are closed. With the last key of a"
              + " principal its tokens end too.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security key revoke tk2f6zq1ab77fgh5mn")
  static final class RevokeKey extends SecurityAction {

    @Parameters(paramLabel = "KEY", description = "The key's id.")
    private String id;

    /** For picocli. */
    RevokeKey() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      client.revokeKey(id);
      done("revoked", id, "key " + id + " is revoked");
    }
  }
}
