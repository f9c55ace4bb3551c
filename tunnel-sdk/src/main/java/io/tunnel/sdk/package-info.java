/**
 * The SDK: write rows to tables, and process the changes of tables in order.
 *
 * <p><b>Dependency.</b> {@code io.tunnel:tunnel-sdk}, with the version of the server; README says
 * how it comes into a local repository. In a modular program: {@code requires io.tunnel.sdk}.
 *
 * <p><b>Tables.</b> {@link io.tunnel.sdk.TableClient} creates and describes tables, reads rows and
 * writes them; {@link io.tunnel.sdk.TableWriter} is its buffered writer for many rows. Both send
 * one batch per partition at a time, so writes to one key are applied in the order of the calls,
 * also after retries. Each row ends with a {@link io.tunnel.sdk.RowResult}: applied, rejected, not
 * sent, or in doubt when the server went away before its answer and stayed away: a batch whose
 * answer is lost is repeated, and applied once. {@code write} throws a {@link
 * io.tunnel.sdk.WriteFailedException} unless every row was applied; {@code tryWrite} returns the
 * outcome of each row instead.
 *
 * <p><b>Tunnels.</b> {@link io.tunnel.sdk.TunnelClient} creates tunnels; a {@link
 * io.tunnel.sdk.TunnelWorker} processes one. The changes of a partition form a channel: they go to
 * an {@link io.tunnel.sdk.processor.IChannelProcessor} in order, one call after the other, while
 * other channels are processed in parallel and the next changes are already being delivered.
 * Progress is checkpointed on an interval and at a graceful end; after a crash, processing resumes
 * behind the last checkpoint. Workers of one tunnel, wherever they run, share its channels evenly.
 *
 * <p>{@link io.tunnel.sdk.processor.StreamRecord#columnState} tells whether an UPDATE sets a
 * column, removes it, or leaves it unchanged. A PUT replaces the row, and so removes unnamed
 * columns.
 *
 * <p>A processor may be a lambda, {@link io.tunnel.sdk.processor.IChannelProcessor#of}; an {@link
 * io.tunnel.sdk.processor.IChannelProcessorFactory} creates one processor per channel, with an
 * {@link io.tunnel.sdk.processor.ICheckpointer} that acknowledges inputs in any order. When a
 * channel ends, its processor learns the reason, see {@link
 * io.tunnel.sdk.processor.IChannelProcessor}. A {@link io.tunnel.sdk.processor.FailurePolicy}
 * decides about an input whose processor throws, and an {@link
 * io.tunnel.sdk.processor.ITunnelWorkerListener} observes the worker.
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
 * <p><b>Errors.</b> A refusal of the server is an {@link io.tunnel.model.RefusedException} with an
 * {@link io.tunnel.model.ErrorCode}; a lost or impossible connection is a {@link
 * io.tunnel.sdk.ConnectionException}. The trace of an exception has the calling line, and its cause
 * is the failure on the SDK's thread. Every call ends: with an answer, an error, or its deadline.
 *
 * <p><b>One server or many nodes.</b> Every endpoint may be a list with commas: {@code
 * "n1:7650,n2:7650"}. One reachable endpoint is enough; the client learns further nodes. In a
 * cluster, each partition, each table's tunnels and the catalog have a leader, which clients and
 * workers find and follow by themselves. A write goes to the leader of its partition, and to the
 * next leader after a change, in order and without being applied twice. A worker receives changes
 * from the leaders of its channels' partitions, without duplicates or gaps after a change. A
 * request that does not succeed before {@link io.tunnel.sdk.ClientConfig#retryDeadline}, for rows
 * {@link io.tunnel.sdk.ClientConfig#writeRetryDeadline}, fails with {@code NOT_LEADER} or {@code
 * LOG_UNAVAILABLE}, and was not applied. A row whose leader was lost before the answer is repeated
 * at the next leader, and is in doubt behind the deadline. {@link io.tunnel.sdk.ClusterClient}
 * shows operators the nodes, and empties a node.
 *
 * <p><b>Threads.</b> A client has one daemon thread; a worker has one more, and threads for
 * processors and listeners. {@link io.tunnel.sdk.RowCallback}s run on the client's thread: they
 * must not block, and methods that would wait there throw {@link java.lang.IllegalStateException}
 * instead.
 *
 * <p><b>Names.</b> Methods of Tablestore's tunnel SDK keep their names, so that its processors
 * compile after a change of imports: {@code record.getPrimaryKey()}, {@code input.getRecords()}.
 * Further methods have names without {@code get}, like the components of a record: {@code
 * record.position()}, {@code channel.lagRows()}. No method has two names. A constructor, as of
 * Tablestore's clients and workers, does not connect: the first call does. A factory named {@code
 * connect} connects at once, so that a wrong address fails where it is written; a factory named
 * {@code of} only combines values.
 *
 * <p><b>Settings.</b> {@code docs/reference/client-settings.md} lists the settings of clients,
 * writers, readers and workers, with defaults and limits.
 *
 * <p>Most packages below this one are internal. Public are the requests and answers of clients,
 * {@link io.tunnel.sdk.table}, {@link io.tunnel.sdk.tunnel}, {@link io.tunnel.sdk.checkpoint} and
 * {@link io.tunnel.sdk.cluster}; the callbacks of workers, {@link io.tunnel.sdk.processor}; and
 * {@link io.tunnel.sdk.metrics}. The artifact {@code tunnel-testkit} has {@code
 * io.tunnel.sdk.testing}, the service in the memory of a test.
 */
package io.tunnel.sdk;
