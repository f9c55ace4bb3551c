/**
 * The callbacks that a program gives to a {@link io.tunnel.sdk.TunnelWorker}, and their arguments:
 * processors of channels, inputs of changes, checkpoints, and the policy for failures.
 */
package io.tunnel.sdk.processor;
