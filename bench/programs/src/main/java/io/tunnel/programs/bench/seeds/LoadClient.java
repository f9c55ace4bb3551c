package io.tunnel.programs.bench.seeds;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.tunnel.programs.bench.load.Turn;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** One client: a connection that has at most one open request. Belongs to its event loop. */
final class LoadClient extends ChannelInboundHandlerAdapter
    implements ClosedLoop.Client, Dialogue.Events {

  private final int number;
  private final Dialogue dialogue;
  private final CompletableFuture<ClosedLoop.Client> greeted = new CompletableFuture<>();
  private ChannelHandlerContext nettyContext;

  /** Empty between operations. */
  private Optional<Operating> operating = Optional.empty();

  /** An operation, which has several requests. */
  private record Operating(Requests requests, Turn turn, int done) {

    /** The number of the open request among those of the client. */
    long request() {
      return turn.number() * requests.ofOperation() + done;
    }

    Operating next() {
      return new Operating(requests, turn, done + 1);
    }
  }

  /** A client; {@code number} is its number among all clients. */
  LoadClient(int number, Dialogue dialogue) {
    this.number = number;
    this.dialogue = dialogue;
  }

  /** Clients that connect to these ports of loopback, by their numbers. */
  static ClosedLoop.Clients on(IntUnaryOperator ports, Supplier<Dialogue> dialogues) {
    return (number, place) -> {
      LoadClient client = new LoadClient(number, dialogues.get());
      var unused =
          place
              .bootstrap()
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(client)
              .connect("127.0.0.1", ports.applyAsInt(number))
              .addListener(
                  done -> {
                    if (!done.isSuccess()) {
                      client.greeted.completeExceptionally(done.cause());
                    }
                  });
      return client.greeted;
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    nettyContext = context;
    send(dialogue.greeting(context.alloc()));
  }

  @Override
  public Executor loop() {
    return nettyContext.executor();
  }

  @Override
  public void operate(Requests requests, Turn turn) {
    ask(new Operating(requests, turn, 0));
  }

  private void ask(Operating next) {
    if (!nettyContext.channel().isActive()) {
      next.turn().failed(new IllegalStateException("the server has closed connection " + number));
      return;
    }
    operating = Optional.of(next);
    send(
        dialogue.request(
            nettyContext.alloc(),
            next.requests().name(next.request()),
            next.requests().payload(number, next.request())));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      dialogue.read(bytes, this);
    } finally {
      bytes.release();
    }
  }

  @Override
  public void greeted() {
    greeted.complete(this);
  }

  @Override
  public void answered(byte[] payload) {
    if (operating.isEmpty()) {
      failed("an answer that nobody asked for");
      return;
    }
    Operating open = operating.get();
    Optional<String> wrong = open.requests().wrong(open.request(), payload);
    if (wrong.isPresent()) {
      failed(open.requests().name(open.request()) + ": " + wrong.get());
    } else if (open.done() + 1 < open.requests().ofOperation()) {
      ask(open.next());
    } else {
      operating = Optional.empty();
      open.turn().done();
    }
  }

  @Override
  public void failed(String why) {
    IllegalStateException failure = new IllegalStateException(why);
    greeted.completeExceptionally(failure);
    Optional<Operating> open = operating;
    operating = Optional.empty();
    open.ifPresent(each -> each.turn().failed(failure));
    var unused = nettyContext.close();
  }

  @Override
  public void send(ByteBuf bytes) {
    var unused = nettyContext.writeAndFlush(bytes, nettyContext.voidPromise());
  }

  @Override
  public ByteBufAllocator allocator() {
    return nettyContext.alloc();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed("the server closed connection " + number);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed("connection " + number + " failed: " + cause);
  }
}
