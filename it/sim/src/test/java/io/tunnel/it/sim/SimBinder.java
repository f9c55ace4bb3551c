package io.tunnel.it.sim;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.SessionProof;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Clients that bind rows to sessions: each opens a session, writes in it, renews it, and closes it,
 * or leaves it to its lease.
 */
final class SimBinder {

  private static final int CLIENTS = 3;

  private final World world;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Integer> partitions;
  private final List<Owner> owners = new ArrayList<>();
  private long lastValue;

  SimBinder(World world, SplittableRandom random, int tableId, List<Integer> partitions) {
    this.world = world;
    this.random = random;
    this.tableId = tableId;
    this.partitions = List.copyOf(partitions);
    for (int i = 0; i < CLIENTS; i++) {
      owners.add(new Owner(new SimClient(world.network, world.process("binder-" + i))));
    }
  }

  /** Lets any client do something, unless it waits for an answer. */
  void act() {
    owners.get(random.nextInt(CLIENTS)).act();
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private final class Owner {
    private final SimClient client;
    private Bytes secret = Bytes.EMPTY;
    private Optional<Long> session = Optional.empty();
    private boolean isBusy;

    Owner(SimClient client) {
      this.client = client;
    }

    void act() {
      if (isBusy) {
        return;
      }
      int dice = random.nextInt(20);
      if (session.isEmpty()) {
        open();
      } else if (dice == 0) {
        // Its lease ends the session.
        session = Optional.empty();
      } else if (dice < 3) {
        ask(Operation.CLOSE_ROW_SESSION, named(), answer -> session = Optional.empty());
      } else if (dice < 7) {
        ask(Operation.RENEW_ROW_SESSION, named(), answer -> {});
      } else {
        ask(Operation.WRITE, rows(), answer -> {});
      }
    }

    private void open() {
      byte[] drawn = new byte[SessionProof.SECRET_BYTES];
      random.nextBytes(drawn);
      secret = Bytes.copyOf(drawn);
      long leaseMs = 2_000L + random.nextInt(4_000);
      ask(
          Operation.OPEN_ROW_SESSION,
          Json.encode(new RowSessionControl.Open(leaseMs, secret)),
          answer ->
              session =
                  Optional.of(
                      Json.decode(answer.payload(), RowSessionControl.Opened.class).sessionId()));
    }

    private byte[] named() {
      return Json.encode(new RowSessionControl.Named(session.orElseThrow(), secret));
    }

    private byte[] rows() {
      int place = random.nextInt(partitions.size());
      SessionProof proof = new SessionProof(session.orElseThrow(), secret);
      BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
      builder.bind(proof);
      builder.setAttributes(proof.addTo(Bytes.EMPTY));
      for (int i = random.nextInt(3); i >= 0; i--) {
        PrimaryKey key = AnyRows.anyKey(place, random);
        ColumnValue value = ColumnValue.fromLong(--lastValue);
        builder.add(new RowPutChange(key, List.of(new Column("v", value))));
      }
      byte[] batch = builder.build(partitions.get(place));
      Durability durability = random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC;
      return WriteRequest.encode(tableId, Optional.of(durability), batch);
    }

    private void ask(Operation operation, byte[] payload, Consumer<Frame> then) {
      isBusy = true;
      var unused =
          client
              .request(operation, payload)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      isBusy = false;
                      then.accept(answer);
                    } else {
                      failed(cause(failure));
                    }
                  });
    }

    private void failed(Throwable failure) {
      if (failure instanceof RefusedException refused) {
        isBusy = false;
        if (refused.code() == ErrorCode.SESSION_ENDED) {
          world.count(Happening.ROW_SESSION_ENDED);
          session = Optional.empty();
        }
        return;
      }
      long pauseNanos = TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(300));
      client.leaveAndThen(pauseNanos, () -> isBusy = false);
    }
  }
}
