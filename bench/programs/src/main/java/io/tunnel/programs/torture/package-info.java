/**
 * {@code tunnel torture}: real servers that are killed, suspended, cut from power and given bad
 * disks, while writers write; after each fault a ledger outside is held against table and channels.
 *
 * <p>{@link io.tunnel.programs.torture.WitnessCore} is the ledger and judges; {@link
 * io.tunnel.programs.torture.TortureRun} leads from fault to fault; {@link
 * io.tunnel.programs.torture.PowerDisk} is a disk whose power can be cut.
 */
package io.tunnel.programs.torture;
