/**
 * What clients and workers say of themselves in figures: {@link io.tunnel.sdk.metrics.SdkMeter} is
 * told, {@link io.tunnel.sdk.metrics.MicrometerMeter} keeps it in a registry of Micrometer, which
 * is an optional dependency: without that class nothing of Micrometer is needed.
 *
 * <pre>{@code
 * ClientConfig config =
 *     ClientConfig.of("localhost:7650").withMeter(new MicrometerMeter(registry));
 * }</pre>
 */
package io.tunnel.sdk.metrics;
