/**
 * Figures of clients and workers: {@link io.tunnel.sdk.metrics.SdkMeter} receives them, {@link
 * io.tunnel.sdk.metrics.MicrometerMeter} keeps them in a registry of Micrometer. Micrometer is an
 * optional dependency, which only the latter class needs.
 *
 * <pre>{@code
 * ClientConfig config =
 *     ClientConfig.of("localhost:7650").withMeter(new MicrometerMeter(registry));
 * }</pre>
 */
package io.tunnel.sdk.metrics;
