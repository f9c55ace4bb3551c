/**
 * The SDK: write rows to tables, and process the changes of tables in order.
 *
 * <p><b>Dependency.</b> {@code io.tunnel:tunnel-sdk}, with the version of the server; README says
 * how it comes into a local repository. In a modular program: {@code requires io.tunnel.sdk}.
 *
 * <p><b>Tables.</b> {@link io.tunnel.sdk.TableClient} creates and describes tables, reads rows and
 * writes them; {@link io.tunnel.sdk.TableWriter} is its buffered writer for many rows. Both send
 * one batch per partition at a time, so writes to one key are applied in the order in which they
 * were made, whatever is retried. Each row ends with a {@link io.tunnel.sdk.RowResult}: applied,
 * rejected, not sent, or in doubt when the server went away before it had answered. {@code write}
 * throws a {@link io.tunnel.sdk.WriteFailedException} unless every row was applied; {@code
 * tryWrite} reports what became of each instead.
 *
 * <p><b>Tunnels.</b> {@link io.tunnel.sdk.TunnelClient} creates tunnels; a {@link
 * io.tunnel.sdk.TunnelWorker} processes one. The changes of a partition are a channel: they are
 * given to an {@link io.tunnel.sdk.processor.IChannelProcessor} in order, one call after the other,
 * while other channels are processed in parallel and the next changes are already being delivered.
 * Progress is checkpointed on an interval and at a graceful end; after a crash, processing resumes
 * behind the last checkpoint. Workers of one tunnel, wherever they run, share its channels evenly.
 *
 * <p>What an UPDATE does to a column, {@link io.tunnel.sdk.processor.StreamRecord#columnState}
 * says: it is set, removed, or left as it was. A PUT replaces the row, and so removes what it does
 * not set.
 *
 * <p>A processor may be a lambda, {@link io.tunnel.sdk.processor.IChannelProcessor#of}; one that is
 * made per channel by an {@link io.tunnel.sdk.processor.IChannelProcessorFactory} is given an
 * {@link io.tunnel.sdk.processor.ICheckpointer}, and may say of its inputs in any order that they
 * are done. When a channel ends, its processor is told why, see {@link
 * io.tunnel.sdk.processor.IChannelProcessor}; what happens when it throws is for a {@link
 * io.tunnel.sdk.processor.FailurePolicy} to decide, and what the worker does meanwhile an {@link
 * io.tunnel.sdk.processor.ITunnelWorkerListener} hears.
 *
 * <pre>{@code
 * import io.tunnel.model.*;
 * import io.tunnel.model.value.*;
 * import io.tunnel.sdk.*;
 * import io.tunnel.sdk.processor.*;
 * import io.tunnel.sdk.table.*;
 * import io.tunnel.sdk.tunnel.*;
 * import java.time.Duration;
 * import java.util.List;
 *
 * public final class Audit {
 *
 *   public static void main(String[] args) {
 *     try (TableClient tables = TableClient.connect("localhost:7650");
 *         TunnelClient tunnels = new TunnelClient("localhost:7650")) {
 *       tables.createTableIfAbsent(
 *           CreateTableRequest.builder("users")
 *               .key("id", PrimaryKeyType.INTEGER)
 *               .splitPoint(1_000)
 *               .build());
 *       tunnels.createTunnelIfAbsent(new CreateTunnelRequest("users", "audit", TunnelType.Stream));
 *       TunnelWorkerConfig config =
 *           TunnelWorkerConfig.builder()
 *               .clientTag("audit-1")
 *               .failurePolicy(
 *                   (input, error, attempts) ->
 *                       attempts < 5
 *                           ? new FailurePolicy.Retry(Duration.ofMillis(100L * attempts))
 *                           : new FailurePolicy.Stop()) // Until an operator resumes the channel.
 *               .listener(new Operators())
 *               .build();
 *       TunnelWorker worker =
 *           TunnelWorker.of(
 *               "users",
 *               "audit",
 *               tunnels,
 *               config,
 *               (tunnel, session, channel, checkpointer) -> new PrintProcessor(checkpointer));
 *       worker.connectAndWorking();
 *       try (TableWriter writer = tables.openWriter("users", TableWriterConfig.DEFAULTS)) {
 *         PrimaryKey key = PrimaryKey.builder().add("id", 7).build();
 *         Column name = new Column("name", ColumnValue.fromString("Ada"));
 *         writer.add(
 *             new RowPutChange(key, List.of(name)),
 *             (row, result) -> System.out.println(row.primaryKey() + " " + result.outcome()));
 *       }
 *       worker.shutdown();
 *     }
 *   }
 *
 *   static final class PrintProcessor implements IChannelProcessor {
 *     private final ICheckpointer checkpointer;
 *
 *     PrintProcessor(ICheckpointer checkpointer) {
 *       this.checkpointer = checkpointer;
 *     }
 *
 *     public void process(ProcessRecordsInput input) {
 *       for (StreamRecord record : input.getRecords()) {
 *         System.out.println(record.position() + " " + record.getPrimaryKey());
 *       }
 *       // Does not wait: the next input is processed while this one's checkpoint is stored.
 *       checkpointer
 *           .checkpointAsync(input.getNextToken())
 *           .exceptionally(
 *               error -> {
 *                 System.err.println("not stored, goes with the next: " + error);
 *                 return null;
 *               });
 *     }
 *
 *     public void closing(String channelId) {
 *       checkpointer.checkpoint(null); // What was processed is not repeated by the next holder.
 *     }
 *
 *     public void ended(String channelId) {
 *       checkpointer.checkpoint(null); // The end itself, so that the channel is finished.
 *     }
 *
 *     public void shutdown() {}
 *   }
 *
 *   static final class Operators implements ITunnelWorkerListener {
 *     public void channelStopped(String channelId, Throwable error) {
 *       System.err.println(channelId + " waits until somebody resumes it: " + error);
 *     }
 *
 *     public void halted(Throwable reason) {
 *       System.err.println("the worker has stopped: " + reason);
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p><b>Errors.</b> What the server refuses is an {@link io.tunnel.model.RefusedException} with its
 * {@link io.tunnel.model.ErrorCode}; a lost or impossible connection is a {@link
 * io.tunnel.sdk.ConnectionException}. What a call throws has the calling line in its trace, and
 * what a thread of the SDK met as its cause. Every call ends: with an answer, an error, or its
 * deadline.
 *
 * <p><b>One server or many nodes.</b> Wherever an endpoint is asked for, several may be given with
 * commas between them: {@code "n1:7650,n2:7650"}. One that can be reached is enough; the others are
 * learned. In a cluster each partition, each table's tunnels and the tables have a node that
 * decides about them, which clients and workers find and follow by themselves: a write goes to the
 * leader of its partition, and to the next leader when that changes, in order and without being
 * applied twice; a worker is delivered to by the leaders of its channels' partitions, without
 * duplicates or gaps when they change. What could not be settled before {@link
 * io.tunnel.sdk.ClientConfig#retryDeadline}, for rows {@link
 * io.tunnel.sdk.ClientConfig#writeRetryDeadline}, ends in an error with {@code NOT_LEADER} or
 * {@code LOG_UNAVAILABLE}, and nothing of it was applied. A row is in doubt when its leader was
 * lost before it had answered, as with one server. {@link io.tunnel.sdk.ClusterClient} shows
 * operators the nodes, and empties one.
 *
 * <p><b>Threads.</b> A client has one daemon thread, a worker one more besides those that call
 * processors and listeners. {@link io.tunnel.sdk.RowCallback}s run on the client's thread: they
 * must not block, and methods that would wait there throw {@link java.lang.IllegalStateException}
 * instead.
 *
 * <p><b>Names.</b> What Tablestore's tunnel SDK has is named as it is there, so that a processor
 * written for it compiles with its imports changed: {@code record.getPrimaryKey()}, {@code
 * input.getRecords()}. All else is named as the components of a record are, without {@code get}:
 * {@code record.position()}, {@code channel.lagRows()}. Nothing has both names. A constructor, as
 * Tablestore's clients and workers have, waits for nothing: the connection is made by the first
 * call. A factory called {@code connect} is there where the connection is made at once, so that a
 * wrong address is found where it is written; one called {@code of} only puts values together.
 *
 * <p><b>Settings.</b> {@code docs/client-settings.md} has those of clients, writers, readers and
 * workers with their defaults and limits.
 *
 * <p>The packages below this one are internal, but for these: what clients are asked and tell,
 * {@link io.tunnel.sdk.table}, {@link io.tunnel.sdk.tunnel}, {@link io.tunnel.sdk.checkpoint} and
 * {@link io.tunnel.sdk.cluster}; what workers call, {@link io.tunnel.sdk.processor}; {@link
 * io.tunnel.sdk.metrics} and {@link io.tunnel.sdk.testing}.
 */
package io.tunnel.sdk;
