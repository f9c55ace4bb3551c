package io.tunnel.programs.bench.seeds;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** One client: a connection that has at most one open request. Belongs to its event loop. */
final class LoadClient extends ChannelInboundHandlerAdapter
    implements ClosedLoop.Client, Dialogue.Events {

  private final int number;
  private final int thread;
  private final Dialogue dialogue;
  private final CompletableFuture<LoadClient> greeted = new CompletableFuture<>();
  private ChannelHandlerContext nettyContext;

  /** Empty between runs. */
  private Optional<LoadRun> run = Optional.empty();

  private long asked;
  private long beganNanos;

  /**
   * A client.
   *
   * @param number its number among all clients
   * @param thread the number of its event loop
   */
  LoadClient(int number, int thread, Dialogue dialogue) {
    this.number = number;
    this.thread = thread;
    this.dialogue = dialogue;
  }

  /** Clients that connect to these ports of loopback, by their numbers. */
  static ClosedLoop.Clients on(IntUnaryOperator ports, Supplier<Dialogue> dialogues) {
    return (number, thread, place) -> {
      LoadClient client = new LoadClient(number, thread, dialogues.get());
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
      return client;
    };
  }

  @Override
  public CompletableFuture<LoadClient> whenReady() {
    return greeted;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    nettyContext = context;
    send(dialogue.greeting(context.alloc()));
  }

  @Override
  public void begin(LoadRun next) {
    nettyContext
        .executor()
        .execute(
            () -> {
              if (!nettyContext.channel().isActive()) {
                next.failed("the server has closed connection " + number);
                return;
              }
              run = Optional.of(next);
              asked = 0;
              ask(next);
            });
  }

  private void ask(LoadRun current) {
    Requests requests = current.requests();
    boolean begins = asked % requests.ofOperation() == 0;
    if (begins && !current.goesOn(asked)) {
      run = Optional.empty();
      current.left();
      return;
    }
    ByteBuf request =
        dialogue.request(
            nettyContext.alloc(), requests.name(asked), requests.payload(number, asked));
    asked++;
    if (begins) {
      beganNanos = current.nanos();
    }
    send(request);
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
    if (run.isEmpty()) {
      failed("an answer that nobody asked for");
      return;
    }
    LoadRun current = run.get();
    Requests requests = current.requests();
    if (asked % requests.ofOperation() == 0) {
      current.answered(thread, current.nanos() - beganNanos);
    }
    long answered = asked - 1;
    Optional<String> wrong = requests.wrong(answered, payload);
    if (wrong.isPresent()) {
      failed(requests.name(answered) + ": " + wrong.get());
    } else {
      ask(current);
    }
  }

  @Override
  public void failed(String why) {
    greeted.completeExceptionally(new IllegalStateException(why));
    run.ifPresent(current -> current.failed(why));
    run = Optional.empty();
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
