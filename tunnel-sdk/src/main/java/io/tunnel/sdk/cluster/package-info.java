/** A cluster as {@link io.tunnel.sdk.ClusterClient} describes it to operators. */
package io.tunnel.sdk.cluster;
