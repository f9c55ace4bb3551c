/**
 * What a processor is given: deliveries as records, how much of them at once, and what is tried
 * again, halved or left out when the processor throws.
 */
package io.tunnel.sdk.worker.input;
