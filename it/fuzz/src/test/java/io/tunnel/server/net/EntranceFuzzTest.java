package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Entrance;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;

/**
 * The connection of a stranger on a closed server, with whatever bytes in whatever pieces: they are
 * answered with a challenge or a typed refusal, or not at all; nothing of them is handed on; and
 * when the deadline is over, the connection is.
 */
@Tag("proof-fuzz")
class EntranceFuzzTest {

  private static final String KEY = "tkknownknownknown2";

  /** What a frame of 4 KiB takes, and the header of the next one. */
  private static final int HELD_BYTES_MAX = 8 * 1024;

  private static final long LAST_WORD_S = 2;

  private static final Gate GATE = gate();

  private static final NetServer.Door DOOR =
      new NetServer.Door(GATE, Optional.empty(), AuditLog.none());

  private static Gate gate() {
    Random random = new Random(7);
    IntFunction<Bytes> chance =
        count -> {
          byte[] bytes = new byte[count];
          random.nextBytes(bytes);
          return Bytes.copyOf(bytes);
        };
    MasterKey master = MasterKey.of(chance.apply(MasterKey.KEY_BYTES), chance);
    Principal admin = Principal.ofKey("admin");
    AccessKey key = AccessKey.of(KEY, admin, master.seal(chance.apply(32).toByteArray(), KEY), 1);
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of(admin));
    Gate.Administrators administrators =
        new Gate.Administrators() {
          @Override
          public Optional<AccessKey> key(String id) {
            return id.equals(KEY) ? Optional.of(key) : Optional.empty();
          }

          @Override
          public Set<Principal> principals() {
            return Set.of(admin);
          }
        };
    return Gate.closed(
        new Gate.Guard(master, administrators, records::snapshot, chance, () -> 1, () -> 1));
  }

  /** Whole frames that a client begins with, and then anything. */
  private static byte[] said(FuzzedDataProvider data) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    if (data.consumeBoolean()) {
      frame(said, Operation.HELLO.code(), 1, Hello.request(Protocol.SPOKEN, "fuzz").encode());
      if (data.consumeBoolean()) {
        Bytes nonce = Bytes.copyOf(new byte[Authentication.NONCE_BYTES]);
        String id = data.consumeBoolean() ? KEY : "tkunknown";
        byte[] begin = new Authentication.Begin(id, nonce).encode();
        frame(said, Operation.AUTHENTICATE.code(), 2, begin);
      }
    }
    for (int frames = data.consumeInt(0, 3); frames > 0; frames--) {
      int operation = data.consumeInt(0, 255);
      frame(said, operation, data.consumeInt(), data.consumeBytes(data.consumeInt(0, 200)));
    }
    said.writeBytes(data.consumeRemainingAsBytes());
    return said.toByteArray();
  }

  private static void frame(
      ByteArrayOutputStream out, int operation, int correlationId, byte[] payload) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation, FrameKind.REQUEST, correlationId, payload.length);
    out.writeBytes(header);
    out.writeBytes(payload);
  }

  @FuzzTest(maxDuration = "")
  void a_stranger_is_challenged_or_refused_and_sent_away_in_time(FuzzedDataProvider data) {
    int cut = data.consumeInt(1, 300);
    long silentMs = data.consumeInt(0, 700);
    byte[] bytes = said(data);
    NetServer.Budgets budgets = NetServer.Budgets.of(NetLimits.DEFAULT, 10, GATE);
    // Without rooms: a request that is handed on has nowhere to go, and would break the connection.
    Connection connection = new Connection(null, DOOR, NetMeter.NONE, "server", budgets);
    StrangerChannel stranger = StrangerChannel.of(connection);

    for (int at = 0; at < bytes.length && stranger.isKept(); at += cut) {
      int length = Math.min(cut, bytes.length - at);
      stranger.hear(Unpooled.copiedBuffer(bytes, at, length));
      stranger.pass(silentMs);
      assertThat(budgets.partial().taken()).isLessThanOrEqualTo(HELD_BYTES_MAX);
    }
    stranger.pass(1_000 * (Entrance.AUTHENTICATION_DEADLINE_S + LAST_WORD_S));

    assertThat(stranger.isKept()).isFalse();
    assertThat(connection.caller().principal()).isEmpty();
    assertThat(connection.caller().mayDoEverything()).isFalse();
    requireAnswers(stranger.answers());
    assertThat(budgets.partial().taken()).isZero();
  }

  /** A greeting, a challenge and an error at most, in this order, and an error at the end. */
  private static void requireAnswers(List<Frame> answers) {
    assertThat(answers).hasSizeBetween(1, 3);
    for (Frame frame : answers.subList(0, answers.size() - 1)) {
      assertThat(frame.kind()).isEqualTo(FrameKind.RESPONSE);
    }
    if (answers.size() > 1) {
      assertThat(answers.get(0).operation()).isEqualTo(Operation.HELLO);
    }
    if (answers.size() > 2) {
      assertThat(Authentication.Answer.decode(answers.get(1).payload()))
          .isInstanceOf(Authentication.Challenge.class);
    }
    Frame last = answers.get(answers.size() - 1);
    assertThat(last.kind()).isEqualTo(FrameKind.ERROR);
    assertThat(ErrorPayload.decode(last.payload()).code()).isNotEqualTo(ErrorCode.INTERNAL);
  }
}
