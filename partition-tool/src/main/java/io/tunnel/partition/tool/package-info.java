/**
 * Creates tables and pre-splits them, planning before it acts. {@link
 * io.tunnel.partition.tool.PartitionCommand} is the command; behind it a plan is computed by pure
 * code ({@code SplitPlanCore}, {@code QuantileCore}), printed or compared with the table that is
 * there, and carried out through a small port.
 */
package io.tunnel.partition.tool;
