package io.tunnel.sdk.write;

import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.transport.Ticker;

/**
 * What the lanes of one writer share.
 *
 * @param batchBytesMax encoded bytes after which a batch is closed
 * @param lingerNanos how long a row waits for others at most
 * @param retryNanos how long a batch is sent again that was not applied
 * @param budget bytes that all lanes hold together
 * @param ticker time
 * @param meter is told what is sent, and what becomes of it
 */
record LaneSettings(
    int batchBytesMax,
    long lingerNanos,
    long retryNanos,
    ByteBudget budget,
    Ticker ticker,
    SdkMeter meter) {}
