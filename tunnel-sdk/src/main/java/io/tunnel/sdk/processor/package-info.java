/**
 * What a program gives to a {@link io.tunnel.sdk.TunnelWorker}, and what it is called with:
 * processors of channels, the changes that they are given, the checkpoints that they may make, and
 * what becomes of a change that they throw at.
 */
package io.tunnel.sdk.processor;
